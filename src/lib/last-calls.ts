const failing = new Set<string>();

type Listener = (service: string) => void;
const listeners = new Set<Listener>();

/** Calls `listener` with a service that answers again, until the function given back is called. It must not throw. */
export function onServiceBack(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Notes whether the last call to a part of somebody else's service worked. */
export function noteCall(service: string, worked: boolean): void {
  if (!worked) failing.add(service);
  else if (failing.delete(service)) for (const listener of listeners) listener(service);
}

/** The services whose last call of this process failed, in the order in which they began to fail. */
export const failingServices = (): string[] => [...failing];
