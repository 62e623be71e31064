import { clock } from '../../lib/clock.js';
import { dayMs } from '../../lib/time.js';
import { readGameUser } from '../../platforms/roblox/game-users.js';
import { Accounts, type StoredAccount } from './account-model.js';

/** Whether a game account is at least `minimumDays` old; one of unknown age is so only where any age will do. */
export function isOldEnough(gameCreatedAt: Date | undefined, minimumDays: number): boolean {
  return minimumDays === 0 || (gameCreatedAt !== undefined && oldEnoughAt(gameCreatedAt, minimumDays) <= clock.now());
}

/** When a game account is `minimumDays` old. */
export function oldEnoughAt(gameCreatedAt: Date, minimumDays: number): Date {
  return new Date(gameCreatedAt.getTime() + minimumDays * dayMs);
}

/**
 * When the game account of `account` was made; read from Roblox, and kept, where the proof did not say. Undefined when
 * Roblox has no such account. Throws GamePlatformUnavailable.
 */
export async function gameCreatedAtOf(account: StoredAccount): Promise<Date | undefined> {
  const { gameUserId, gameCreatedAt } = account;
  if (gameCreatedAt !== undefined || gameUserId === undefined) return gameCreatedAt;
  const user = await readGameUser(gameUserId);
  if (user !== null) await Accounts.updateOne({ gameUserId }, { $set: { gameCreatedAt: user.createdAt } });
  return user?.createdAt;
}
