import { clock } from '../../lib/clock.js';
import { dayMs } from '../../lib/time.js';
import { readGameUser } from '../../platforms/roblox/game-users.js';
import { Accounts, type StoredAccount } from './account-model.js';

/**
 * Checks that a game account is at least `minimumDays` old. An account with an unknown age passes only if the minimum
 * is 0.
 */
export function isOldEnough(gameCreatedAt: Date | undefined, minimumDays: number): boolean {
  return minimumDays === 0 || (gameCreatedAt !== undefined && oldEnoughAt(gameCreatedAt, minimumDays) <= clock.now());
}

export function oldEnoughAt(gameCreatedAt: Date, minimumDays: number): Date {
  return new Date(gameCreatedAt.getTime() + minimumDays * dayMs);
}

/**
 * The creation date of `account`'s game account. Reads it from Roblox and stores it if the proof did not include it.
 * Undefined if Roblox has no account with this id. Throws GamePlatformUnavailable.
 */
export async function gameCreatedAtOf(account: StoredAccount): Promise<Date | undefined> {
  const { gameUserId, gameCreatedAt } = account;
  if (gameCreatedAt !== undefined || gameUserId === undefined) return gameCreatedAt;
  const user = await readGameUser(gameUserId);
  if (user !== null) await Accounts.updateMany({ gameUserId }, { $set: { gameCreatedAt: user.createdAt } });
  return user?.createdAt;
}
