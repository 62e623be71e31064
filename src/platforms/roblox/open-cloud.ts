import { robloxConfig } from './roblox-config.js';
import { incompleteAnswer, type RobloxLookup, type RobloxRead, readRoblox } from './roblox-http.js';

/** Open Cloud's answer for a missing resource (Roblox cloud/reference/errors). */
const absent = { status: 404, code: 'NOT_FOUND' };

type CloudRead<T> = Omit<RobloxRead<T>, 'host' | 'headers' | 'body'> & Required<Pick<RobloxRead<T>, 'endpoint'>>;
type CloudLookup<T> = CloudRead<T> & Partial<Pick<RobloxLookup<T>, 'absent'>>;

/** Whether there is a key: then Open Cloud is read first, and the older hosts supply the missing data (ROBLOX-1). */
export function hasOpenCloud(): boolean {
  return robloxConfig().apiKey !== undefined;
}

/** One Open Cloud resource; null if the answer is `absent`. Throws GamePlatformUnavailable. */
export function lookUpInCloud<T>(read: CloudLookup<T>): Promise<T | null> {
  return readRoblox(inCloud({ absent, ...read }));
}

/**
 * Every page in a list; none for a missing resource if `mayBeAbsent`. A repeated page token would never end, so it
 * counts as a fault. Throws GamePlatformUnavailable.
 */
export async function* readCloudPages<T extends { nextPageToken?: string | undefined }>(
  read: CloudRead<T>,
  { mayBeAbsent = false } = {},
): AsyncGenerator<T> {
  const tokens = new Set<string>();
  for (let pageToken = ''; ; ) {
    const query = { ...read.query, ...(pageToken && { pageToken }) };
    const asked = inCloud({ ...read, query });
    const page = await (mayBeAbsent ? readRoblox({ ...asked, absent }) : readRoblox(asked));
    if (page === null) return;
    yield page;
    pageToken = page.nextPageToken ?? '';
    if (pageToken === '') return;
    if (tokens.has(pageToken)) throw incompleteAnswer('the page tokens go round in circles');
    tokens.add(pageToken);
  }
}

function inCloud<R extends CloudRead<unknown>>(read: R) {
  return { ...read, host: 'apis' as const, headers: { 'x-api-key': robloxConfig().apiKey ?? '' } };
}
