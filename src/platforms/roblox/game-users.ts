import { z } from 'zod';
import { GamePlatformClosed } from '../../lib/errors.js';
import { gameId } from '../../lib/ids.js';
import { minuteMs } from '../../lib/time.js';
import { hasOpenCloud, lookUpInCloud } from './open-cloud.js';
import { ReadThroughCache } from './read-through-cache.js';
import { perConfiguration } from './roblox-config.js';
import { incompleteAnswer, type Patience, readRoblox, yieldsToOthers } from './roblox-http.js';
import { isRobloxId, robloxId } from './roblox-id.js';

/** A Roblox account as its public profile shows it. */
export interface GameUser {
  gameUserId: string;
  gameUsername: string;
  gameDisplayName: string;
  createdAt: Date;
  /** Known only from the older host: Open Cloud shows a banned account like any other (`isAccountGone`). */
  banned: boolean;
  /** The profile's About text; empty if there is none. */
  about: string;
  /** Whether they have Roblox Premium; null without Open Cloud, its only source. */
  premium: boolean | null;
}

const CACHE_MS = minuteMs;

const profile = z.object({
  id: robloxId,
  name: z.string().min(1),
  displayName: z.string(),
  description: z.string(),
  created: z.iso.datetime({ offset: true }),
  isBanned: z.boolean(),
});

const cloudProfile = z.object({
  id: gameId,
  name: z.string().min(1),
  displayName: z.string(),
  about: z.string().default(''),
  createTime: z.iso.datetime({ offset: true }),
  premium: z.boolean().nullable().default(null),
});

const recentUsers = perConfiguration(() => new ReadThroughCache({ max: 10_000, ttlMs: CACHE_MS }, readProfile));

/**
 * The account with this id; `null` if there is none. Up to a minute old, unless `fresh`, which an ownership proof
 * needs. Throws GamePlatformUnavailable.
 */
export async function readGameUser(gameUserId: string, options: { fresh?: boolean } = {}): Promise<GameUser | null> {
  if (!isRobloxId(gameUserId)) return null;
  return recentUsers().read(gameUserId, { ...options, yields: yieldsToOthers() });
}

/**
 * Whether Roblox says that the account is deleted or banned, read without cache. One read is not yet a decision
 * (VER-29). Throws GamePlatformUnavailable.
 */
export async function isAccountGone(gameUserId: string): Promise<boolean> {
  const user = await readGameUser(gameUserId, { fresh: true });
  if (user === null || user.banned) return true;
  if (!hasOpenCloud()) return false;
  try {
    return (await readOlderProfile(gameUserId))?.banned ?? false;
  } catch (error) {
    if (error instanceof GamePlatformClosed) return false;
    throw error;
  }
}

async function readProfile(gameUserId: string): Promise<GameUser | null> {
  return hasOpenCloud() ? readCloudProfile(gameUserId) : readOlderProfile(gameUserId);
}

export async function readCloudProfile(gameUserId: string, patience?: Patience): Promise<GameUser | null> {
  const path = `/cloud/v2/users/${gameUserId}`;
  const user = await lookUpInCloud({ endpoint: 'users', path, answer: cloudProfile, ...(patience && { patience }) });
  if (user === null) return null;
  if (user.id !== gameUserId) throw incompleteAnswer('answered a user who was not asked for');
  const { name: gameUsername, displayName: gameDisplayName, about, createTime, premium } = user;
  return { gameUserId, gameUsername, gameDisplayName, createdAt: new Date(createTime), banned: false, about, premium };
}

async function readOlderProfile(gameUserId: string): Promise<GameUser | null> {
  const user = await readRoblox({
    host: 'users',
    path: `/v1/users/${gameUserId}`,
    answer: profile,
    absent: { status: 404, code: 3 },
  });
  if (!user) return null;
  if (user.id !== gameUserId) throw incompleteAnswer('answered a user who was not asked for');
  return {
    gameUserId: user.id,
    gameUsername: user.name,
    gameDisplayName: user.displayName,
    createdAt: new Date(user.created),
    banned: user.isBanned,
    about: user.description,
    premium: null,
  };
}
