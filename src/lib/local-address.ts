const ofThisMachine: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether an address leads to its reader's own machine, so that it leads somewhere else for everybody else. */
export const isLocalAddress = (url: string): boolean => ofThisMachine.has(new URL(url).hostname);
