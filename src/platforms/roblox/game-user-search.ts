import PQueue from 'p-queue';
import { z } from 'zod';
import { Batcher, crowdQuietMs } from '../../lib/batcher.js';
import { GamePlatformClosed } from '../../lib/errors.js';
import { type GameUser, readCloudProfile, readGameUser } from './game-users.js';
import { hasOpenCloud } from './open-cloud.js';
import { perConfiguration } from './roblox-config.js';
import { incompleteAnswer, type Patience, readRoblox } from './roblox-http.js';
import { isRobloxId, robloxId } from './roblox-id.js';

interface NamedUser {
  gameUserId: string;
  gameUsername: string;
  gameDisplayName: string;
}

const foundByName = z.object({
  data: z.array(
    z.object({ requestedUsername: z.string(), id: robloxId, name: z.string().min(1), displayName: z.string() }),
  ),
});

/**
 * The account with this current or former username (Roblox matches both, in any case); `null` if there is none. Banned
 * accounts are found too; `readGameUser` reveals that. Throws GamePlatformUnavailable.
 */
export async function findGameUserByName(username: string): Promise<NamedUser | null> {
  const wanted = username.trim();
  if (wanted === '') return null;
  const answer = await readRoblox({
    host: 'users',
    path: '/v1/usernames/users',
    body: { usernames: [wanted], excludeBannedUsers: false },
    answer: foundByName,
  });
  const [user, ...others] = answer.data;
  if (!user) return null;
  if (others.length > 0 || user.requestedUsername.toLowerCase() !== wanted.toLowerCase()) {
    throw incompleteAnswer('asked for one username, answered another');
  }
  return { gameUserId: user.id, gameUsername: user.name, gameDisplayName: user.displayName };
}

/** Maximum ids for `readGameNames`, as documented by Roblox for its id lists. */
export const namesPerRead = 100;
/** Open Cloud allows 1,000 profiles a minute. */
const profilesAtOnce = 4;

const foundById = z.object({
  data: z.array(z.object({ id: robloxId, name: z.string().min(1), displayName: z.string() })),
});

/**
 * Names for up to 100 accounts, by gameUserId. Deleted and banned accounts are missing. One call to the older host, or
 * one per profile to Open Cloud once that is closed. Throws GamePlatformUnavailable.
 */
export async function readGameNames(
  gameUserIds: readonly string[],
  patience?: Patience,
): Promise<Map<string, NamedUser>> {
  const users = await readNamesOfMany(gameUserIds, patience).catch((error: unknown) => {
    if (error instanceof GamePlatformClosed && hasOpenCloud()) return readNamesOneByOne(gameUserIds, patience);
    throw error;
  });
  return new Map(users.map((user) => [user.gameUserId, user]));
}

const crowd = perConfiguration(
  () =>
    new Batcher<string, NamedUser | null>(
      async (gameUserIds) => {
        const found = await readGameNames([...new Set(gameUserIds)]);
        return gameUserIds.map((id) => found.get(id) ?? null);
      },
      { most: namesPerRead, quietMs: crowdQuietMs },
    ),
);

/** One account's names, read together with simultaneous requests; null for an account that is gone. */
export function readGameNameInCrowd(gameUserId: string): Promise<NamedUser | null> {
  return crowd().add(gameUserId);
}

async function readNamesOfMany(gameUserIds: readonly string[], patience?: Patience): Promise<NamedUser[]> {
  const { data } = await readRoblox({
    host: 'users',
    path: '/v1/users',
    body: { userIds: gameUserIds.map(Number), excludeBannedUsers: true },
    answer: foundById,
    ...(patience && { patience }),
  });
  if (data.some(({ id }) => !gameUserIds.includes(id))) throw incompleteAnswer('answered a user who was not asked for');
  return data.map(({ id, name, displayName }) => ({
    gameUserId: id,
    gameUsername: name,
    gameDisplayName: displayName,
  }));
}

async function readNamesOneByOne(gameUserIds: readonly string[], patience?: Patience): Promise<NamedUser[]> {
  const queue = new PQueue({ concurrency: profilesAtOnce });
  const reads = gameUserIds.map((id) => () => readCloudProfile(id, patience));
  try {
    return (await queue.addAll(reads)).filter((user) => user !== null);
  } finally {
    queue.clear();
  }
}

/** A reference to an account: an id, a name, or digits that may be either. */
type GameUserReference = { gameUserId: string } | { name: string; orId?: string };

/**
 * Parses a typed account reference: a profile address, an id after `#` or `id:`, or a name. Digits alone are first
 * tried as a name, since such names exist, then as an id.
 */
function parseReference(text: string): GameUserReference {
  const reference = text.trim();
  const page = /^(?:https?:\/\/)?(?:www\.|web\.)?roblox\.com\/(?:[a-z]{2}(?:-[a-z]{2})?\/)?users\/(\d+)(?:[/?#]|$)/i;
  const id = page.exec(reference)?.[1] ?? /^(?:#|id:)\s*(\d+)$/i.exec(reference)?.[1];
  if (id !== undefined && isRobloxId(id)) return { gameUserId: id };
  const name = reference.replace(/^@/, '');
  return isRobloxId(name) ? { name, orId: name } : { name };
}

/** The account id in a profile address or id; null for anything else. */
export function parseGameUserId(text: string): string | null {
  const reference = parseReference(text);
  return 'gameUserId' in reference ? reference.gameUserId : (reference.orId ?? null);
}

/** The reference as a short text: `#` and the id, or the name. It fits Discord's 100-character limit. */
export function shortGameUserReference(text: string): string {
  const reference = parseReference(text);
  return 'gameUserId' in reference ? `#${reference.gameUserId}` : reference.name;
}

/**
 * The account for `text` (profile address, id or name), with its profile read without cache; null if there is none.
 * Throws GamePlatformUnavailable, and GamePlatformClosed for a name if Roblox no longer offers the lookup.
 */
export async function findGameUser(text: string): Promise<GameUser | null> {
  const reference = parseReference(text);
  if ('gameUserId' in reference) return readGameUser(reference.gameUserId, { fresh: true });
  const { name, orId } = reference;
  const found = await findGameUserByName(name).catch((error: unknown) => {
    if (!(error instanceof GamePlatformClosed) || !hasOpenCloud()) throw error;
    if (orId === undefined) throw new GamePlatformClosed(namesAreClosed, { cause: error });
    return null;
  });
  const gameUserId = found?.gameUserId ?? orId;
  return gameUserId === undefined ? null : readGameUser(gameUserId, { fresh: true });
}

const namesAreClosed = 'Roblox no longer finds accounts by their name. Give the address of the profile instead.';
