import { type QueryFilter, trusted } from 'mongoose';
import type { ProofMethod } from '../../core/settings/guild-settings.js';
import { Conflict } from '../../lib/errors.js';
import type { StoredAccount } from './account-model.js';

/** The ways to prove an account, from the one whose accounts are easiest to take to the hardest (ID-10). */
const byHardness: readonly ProofMethod[] = ['game_code', 'profile_code', 'discord_connection', 'oauth'];

/** Of these two proofs of the same account by the same person, the one that is harder to take. */
export function harderToTake(before: ProofMethod | undefined, now: ProofMethod): ProofMethod {
  return before !== undefined && byHardness.indexOf(before) > byHardness.indexOf(now) ? before : now;
}

/** What decides whom a proof may take an account from. */
interface Proof {
  method: ProofMethod;
  guildId: string | null;
  overOAuth?: boolean;
}

/** The ways whose accounts words in a profile, and what is stronger, move at once. */
const easyToTake: readonly ProofMethod[] = ['game_code', 'profile_code'];

/** The accounts of others that a proof takes at once: a code from a game takes only what a code gave in that guild alone. */
export function takenBy({ method, guildId, overOAuth = false }: Proof): QueryFilter<StoredAccount> {
  if (method === 'game_code') return { method, onlyIn: [guildId ?? ''] };
  return method === 'oauth' || overOAuth ? {} : { method: trusted({ $in: [...easyToTake] }) };
}

/** Whether `takenBy` holds for an account. */
export function isTakenBy({ method, onlyIn }: Partial<StoredAccount>, proof: Proof): boolean {
  if (proof.method === 'game_code') return method === 'game_code' && onlyIn?.join() === proof.guildId;
  return proof.method === 'oauth' || proof.overOAuth === true || (method !== undefined && easyToTake.includes(method));
}

/** Somebody has proved this game account, or another one as theirs, in a way that a new proof does not overrule at once (ID-10). */
export class GameAccountHeld extends Conflict {
  constructor(readonly ownerId: string) {
    super('game_account_held', 'This account was proved before in a way that the new proof does not overrule.');
  }
}

/** A code from a game replaces no other account of its person, but for one that a code gave in that guild alone. Throws GameAccountHeld. */
export function refuseToReplace(before: StoredAccount | null, proof: Proof & { game: { gameUserId: string } }): void {
  if (proof.method !== 'game_code' || before?.gameUserId === undefined) return;
  if (before.gameUserId !== proof.game.gameUserId && !isTakenBy(before, proof)) throw new GameAccountHeld(before._id);
}

/** Where an account counts by a proof that makes it `method`: what a code gave counts in the guilds of the codes alone. */
export function placesOf(method: ProofMethod, guildId: string | null, isNew: boolean) {
  if (method !== 'game_code' || guildId === null) return { $unset: { onlyIn: 1 as const } };
  return isNew ? { $set: { onlyIn: [guildId] } } : { $addToSet: { onlyIn: guildId } };
}

/** Whether an account counts in every guild, and so may be told to all of Discord. */
export const countsEverywhere = ({ onlyIn }: Pick<StoredAccount, 'onlyIn'>): boolean => onlyIn === undefined;

/** Whether an account counts in a guild. */
export const countsIn = ({ onlyIn }: Pick<StoredAccount, 'onlyIn'>, guildId: string): boolean =>
  onlyIn === undefined || onlyIn.includes(guildId);
