import PQueue from 'p-queue';
import { z } from 'zod';
import { GamePlatformClosed } from '../../lib/errors.js';
import { Gathered } from '../../lib/gathered.js';
import { type GameUser, readCloudProfile, readGameUser } from './game-users.js';
import { hasOpenCloud } from './open-cloud.js';
import { perConfiguration } from './roblox-config.js';
import { incompleteAnswer, type Patience, readRoblox } from './roblox-http.js';
import { isRobloxId, robloxId } from './roblox-id.js';

/** An account and its names of now. */
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
 * The account that has this username or had it before (Roblox also matches former names, in any case); `null` when
 * there is none. Banned accounts are found too; `readGameUser` shows that. Throws GamePlatformUnavailable.
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

/** The most ids that `readGameNames` takes: what Roblox documents for its lists of ids. */
export const namesPerRead = 100;
/** Open Cloud allows 1,000 profiles a minute. */
const profilesAtOnce = 4;

const foundById = z.object({
  data: z.array(z.object({ id: robloxId, name: z.string().min(1), displayName: z.string() })),
});

/**
 * The names of up to 100 accounts, by gameUserId. Who is deleted or banned is missing in the answer. One call of the
 * older host, or profile by profile from Open Cloud once that is closed. Throws GamePlatformUnavailable.
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
    new Gathered<string, NamedUser | null>(
      async (gameUserIds) => {
        const found = await readGameNames([...new Set(gameUserIds)]);
        return gameUserIds.map((id) => found.get(id) ?? null);
      },
      { most: namesPerRead },
    ),
);

/** The same of one account, read with those of others that are asked for at the same time; null for one that is gone. */
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

/** An account as a person names it: by its id where they gave one, by its name, or by digits that may be either. */
type GameUserReference = { gameUserId: string } | { name: string; orId?: string };

/**
 * What somebody typed to name an account: the address of its profile, or its id behind `#` or `id:`, or its name. Digits
 * alone are a name first, as there are such names, and else an id.
 */
function parseReference(text: string): GameUserReference {
  const reference = text.trim();
  const page = /^(?:https?:\/\/)?(?:www\.|web\.)?roblox\.com\/(?:[a-z]{2}(?:-[a-z]{2})?\/)?users\/(\d+)(?:[/?#]|$)/i;
  const id = page.exec(reference)?.[1] ?? /^(?:#|id:)\s*(\d+)$/i.exec(reference)?.[1];
  if (id !== undefined && isRobloxId(id)) return { gameUserId: id };
  const name = reference.replace(/^@/, '');
  return isRobloxId(name) ? { name, orId: name } : { name };
}

/** The account that is named by the address of its profile or its id; null for anything else. */
export function parseGameUserId(text: string): string | null {
  const reference = parseReference(text);
  return 'gameUserId' in reference ? reference.gameUserId : (reference.orId ?? null);
}

/** The same reference as a short text: `#` and the id, or the name. It fits where Discord leaves 100 characters. */
export function shortGameUserReference(text: string): string {
  const reference = parseReference(text);
  return 'gameUserId' in reference ? `#${reference.gameUserId}` : reference.name;
}

/**
 * The account that `text` names (address of its profile, id or name), with its profile read past the cache; null when
 * there is none. Throws GamePlatformUnavailable, and GamePlatformClosed for a name when Roblox looks none up any more.
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
