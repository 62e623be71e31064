import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { GamePlatformUnavailable } from '../../lib/errors.js';
import { hourMs } from '../../lib/time.js';
import { perConfiguration } from './roblox-config.js';
import { readRoblox } from './roblox-http.js';
import { isRobloxId } from './roblox-id.js';

const headshots = z.object({ data: z.array(z.object({ targetId: z.number(), imageUrl: z.string().nullable() })) });

/** Roblox's maximum per call. */
const mostAtOnce = 100;

/** Recently read addresses, by account. A missing picture is not cached. */
const recent = perConfiguration(
  () =>
    new LRUCache<string, string>({
      max: 20_000,
      ttl: hourMs,
      perf: { now: () => clock.monotonicMs() },
      ttlResolution: 0,
    }),
);

/** An account's head picture address, 150 pixels square; null if Roblox has none or does not answer. */
export async function readHeadshot(gameUserId: string): Promise<string | null> {
  return (await readHeadshots([gameUserId])).get(gameUserId) ?? null;
}

/**
 * The head picture addresses for at most 100 accounts, up to an hour old. Accounts without a picture or an answer are
 * left out.
 */
export async function readHeadshots(gameUserIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(gameUserIds)].filter(isRobloxId).slice(0, mostAtOnce);
  const missing = ids.filter((id) => !recent().has(id));
  if (missing.length > 0) {
    for (const { targetId, imageUrl } of await ask(missing)) if (imageUrl) recent().set(String(targetId), imageUrl);
  }
  const found = new Map<string, string>();
  for (const id of ids) {
    const url = recent().get(id);
    if (url !== undefined) found.set(id, url);
  }
  return found;
}

async function ask(gameUserIds: readonly string[]): Promise<z.output<typeof headshots>['data']> {
  try {
    const { data } = await readRoblox({
      host: 'thumbnails',
      path: '/v1/users/avatar-headshot',
      query: { userIds: gameUserIds.join(), size: '150x150', format: 'Png' },
      answer: headshots,
      patience: { totalMs: 2_000, attempts: 1 },
    });
    return data;
  } catch (error) {
    if (error instanceof GamePlatformUnavailable) return [];
    throw error;
  }
}
