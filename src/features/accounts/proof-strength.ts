import { type QueryFilter, trusted } from 'mongoose';
import { Conflict } from '../../lib/errors.js';
import type { AccountMethod, StoredAccount } from './account-model.js';

/** From the way whose accounts are easiest to take to the hardest (ID-10). */
const byHardness: readonly AccountMethod[] = ['imported', 'game_code', 'profile_code', 'discord_connection', 'oauth'];

/** The ways that are the word of a guild: they count in that guild alone. */
const wordOfGuild: readonly AccountMethod[] = ['imported', 'game_code'];

/** Of these two ways to the same account of the same person, the one that is harder to take. */
export function harderToTake(before: AccountMethod | undefined, now: AccountMethod): AccountMethod {
  return before !== undefined && byHardness.indexOf(before) > byHardness.indexOf(now) ? before : now;
}

/** What decides whom a proof may take an account from. */
interface Proof {
  method: AccountMethod;
  guildId: string | null;
  overOAuth?: boolean;
}

/** The ways whose accounts words in a profile, and what is stronger, move at once. */
const easyToTake: readonly AccountMethod[] = ['imported', 'game_code', 'profile_code'];

/**
 * The accounts of others that a proof takes at once. A code from a game takes only what that guild's word alone gave; an
 * import takes nothing.
 */
export function takenBy({ method, guildId, overOAuth = false }: Proof): QueryFilter<StoredAccount> {
  if (method === 'imported') return { _id: trusted({ $in: [] }) };
  if (method === 'game_code') return { method: trusted({ $in: [...wordOfGuild] }), onlyIn: [guildId ?? ''] };
  return method === 'oauth' || overOAuth ? {} : { method: trusted({ $in: [...easyToTake] }) };
}

/** Whether `takenBy` holds for an account. */
export function isTakenBy({ method, onlyIn }: Partial<StoredAccount>, proof: Proof): boolean {
  if (proof.method === 'imported' || method === undefined) return false;
  if (proof.method === 'game_code') return wordOfGuild.includes(method) && onlyIn?.join() === proof.guildId;
  return proof.method === 'oauth' || proof.overOAuth === true || easyToTake.includes(method);
}

/** Somebody has proved this game account, or another one as theirs, in a way that a new proof does not overrule at once (ID-10). */
export class GameAccountHeld extends Conflict {
  constructor(readonly ownerId: string) {
    super('game_account_held', 'This account was proved before in a way that the new proof does not overrule.');
  }
}

/**
 * An import replaces no other account of its person. A code from a game replaces only an imported one, and one that a code
 * gave in that guild alone. Throws GameAccountHeld.
 */
export function refuseToReplace(before: StoredAccount | null, proof: Proof & { game: { gameUserId: string } }): void {
  if (before?.gameUserId === undefined || before.gameUserId === proof.game.gameUserId) return;
  if (proof.method === 'imported') throw new GameAccountHeld(before._id);
  if (proof.method !== 'game_code' || before.method === 'imported' || isTakenBy(before, proof)) return;
  throw new GameAccountHeld(before._id);
}

/** Where an account counts by a proof that makes it `method`: what guilds gave their word for counts in them alone. */
export function placesOf(method: AccountMethod, guildId: string | null, isNew: boolean) {
  if (!wordOfGuild.includes(method) || guildId === null) return { $unset: { onlyIn: 1 as const } };
  return isNew ? { $set: { onlyIn: [guildId] } } : { $addToSet: { onlyIn: guildId } };
}

/** Whether an account counts in every guild, and so may be told to all of Discord. */
export const countsEverywhere = ({ onlyIn }: Pick<StoredAccount, 'onlyIn'>): boolean => onlyIn === undefined;

/** Whether an account counts in a guild. */
export const countsIn = ({ onlyIn }: Pick<StoredAccount, 'onlyIn'>, guildId: string): boolean =>
  onlyIn === undefined || onlyIn.includes(guildId);
