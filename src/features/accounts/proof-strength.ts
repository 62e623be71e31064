import { type QueryFilter, trusted } from 'mongoose';
import { Conflict } from '../../lib/errors.js';
import type { AccountMethod, StoredAccount } from './account-model.js';

/** Methods in order, from the easiest account to take to the hardest (ID-10). */
const byHardness: readonly AccountMethod[] = ['imported', 'game_code', 'profile_code', 'discord_connection', 'oauth'];

/** Methods that rest on a guild's word: they count in that guild alone. */
const wordOfGuild: readonly AccountMethod[] = ['imported', 'game_code'];

/** The harder to take of two methods that link the same account to the same person. */
export function harderToTake(before: AccountMethod | undefined, now: AccountMethod): AccountMethod {
  return before !== undefined && byHardness.indexOf(before) > byHardness.indexOf(now) ? before : now;
}

/** The parts of a proof that decide which accounts it may take. */
interface Proof {
  method: AccountMethod;
  guildId: string | null;
  overOAuth?: boolean;
}

/** Methods that a profile text or a stronger proof overrules immediately. */
const easyToTake: readonly AccountMethod[] = ['imported', 'game_code', 'profile_code'];

/**
 * A filter for the accounts of others that a proof takes immediately. A game code takes only accounts that rest on that
 * guild's word alone; an import takes none.
 */
export function takenBy({ method, guildId, overOAuth = false }: Proof): QueryFilter<StoredAccount> {
  if (method === 'imported') return { _id: trusted({ $in: [] }) };
  if (method === 'game_code') return { method: trusted({ $in: [...wordOfGuild] }), onlyIn: [guildId ?? ''] };
  return method === 'oauth' || overOAuth ? {} : { method: trusted({ $in: [...easyToTake] }) };
}

/** Whether `takenBy` matches an account. */
export function isTakenBy({ method, onlyIn }: Partial<StoredAccount>, proof: Proof): boolean {
  if (proof.method === 'imported' || method === undefined) return false;
  if (proof.method === 'game_code') return wordOfGuild.includes(method) && onlyIn?.join() === proof.guildId;
  return proof.method === 'oauth' || proof.overOAuth === true || easyToTake.includes(method);
}

/**
 * The game account, or another one of this person, is held by a proof that a new proof cannot overrule immediately
 * (ID-10).
 */
export class GameAccountHeld extends Conflict {
  constructor(readonly ownerId: string) {
    super('game_account_held', 'This account was already verified in a stronger way.');
  }
}

/**
 * An import replaces no other account of its person. A game code replaces only an imported account, or one from a game
 * code of that guild alone. Throws GameAccountHeld.
 */
export function refuseToReplace(before: StoredAccount | null, proof: Proof & { game: { gameUserId: string } }): void {
  if (before?.gameUserId === undefined || before.gameUserId === proof.game.gameUserId) return;
  if (proof.method === 'imported') throw new GameAccountHeld(before._id);
  if (proof.method !== 'game_code' || before.method === 'imported' || isTakenBy(before, proof)) return;
  throw new GameAccountHeld(before._id);
}

/**
 * The guilds in which an account counts once its method is `method`: an account that guilds vouch for counts in them
 * alone.
 */
export function placesOf(method: AccountMethod, guildId: string | null, isNew: boolean) {
  if (!wordOfGuild.includes(method) || guildId === null) return { $unset: { onlyIn: 1 as const } };
  return isNew ? { $set: { onlyIn: [guildId] } } : { $addToSet: { onlyIn: guildId } };
}

/** Whether an account counts in every guild, and so may be shown to all of Discord. */
export const countsEverywhere = ({ onlyIn }: Pick<StoredAccount, 'onlyIn'>): boolean => onlyIn === undefined;

export const countsIn = ({ onlyIn }: Pick<StoredAccount, 'onlyIn'>, guildId: string): boolean =>
  onlyIn === undefined || onlyIn.includes(guildId);
