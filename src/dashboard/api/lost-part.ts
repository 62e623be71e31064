/** A page part failed to load: the network is down, or the service has another build's parts only. */
export class LostPart extends Error {
  constructor(cause: unknown) {
    super('lost part', { cause });
  }
}

/** The scripts with which a page begins: another build has others. */
function mainScriptsOf(html: string): string | undefined {
  const found = [...html.matchAll(/src="(\/assets\/[^"]+\.js)"/g)].map(([, script]) => script);
  return found.length === 0 ? undefined : found.join();
}

/** The build for which this tab was reloaded: two builds behind one address would reload it endlessly. */
const renewedFor = 'rolelink-renewed-for';

/** The page as the service has it now; undefined when no page comes. */
async function readShell(): Promise<string | undefined> {
  const answer = await fetch('/', { cache: 'no-store' }).catch(() => undefined);
  return answer?.ok ? answer.text() : undefined;
}

/** Loads a page part. Throws LostPart, which no library answers with a reload. */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new LostPart(cause);
  }
}

/** Reloads the page if the service has another build: once per build, and never without a network. */
export async function renewPage(): Promise<void> {
  const now = mainScriptsOf((await readShell()) ?? '');
  const isSame = now === mainScriptsOf(document.documentElement.outerHTML);
  if (now === undefined || isSame || sessionStorage.getItem(renewedFor) === now) return;
  sessionStorage.setItem(renewedFor, now);
  location.reload();
}

/** Reloads the page as soon as the service answers: without an answer the browser would show its own error page. */
export async function reloadWhenThere(): Promise<void> {
  if ((await readShell()) !== undefined) location.reload();
}
