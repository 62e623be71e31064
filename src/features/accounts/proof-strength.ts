import { type QueryFilter, trusted } from 'mongoose';
import { Conflict } from '../../lib/errors.js';
import type { AccountMethod, StoredAccount } from './account-model.js';

/** Proof methods in order, from the easiest account to take to the hardest (ID-10). */
const byHardness: readonly AccountMethod[] = ['profile_code', 'discord_connection', 'oauth'];

/** The harder to take among two methods that link the same account to the same person. */
export function harderToTake(before: AccountMethod | undefined, now: AccountMethod): AccountMethod {
  return before !== undefined && byHardness.indexOf(before) > byHardness.indexOf(now) ? before : now;
}

/** The proof parts that decide which accounts it may take. */
interface Proof {
  method: AccountMethod;
  overOAuth?: boolean;
}

const takesAll = ({ method, overOAuth = false }: Proof): boolean => method === 'oauth' || overOAuth;

/** A filter for others' proofs that a proof takes immediately. Words yield where they are seen (PEOPLE-2). */
export function takenBy(proof: Proof): QueryFilter<StoredAccount> {
  const proved = { guildId: trusted({ $exists: false }) };
  return takesAll(proof) ? proved : { ...proved, method: 'profile_code' };
}

/** Whether `takenBy` matches an account. */
export const isTakenBy = ({ method }: Partial<StoredAccount>, proof: Proof): boolean =>
  method !== undefined && (takesAll(proof) || method === 'profile_code');

/**
 * The game account, or another one this person has, is held by a proof that a new proof or word cannot overrule
 * immediately (ID-10).
 */
export class GameAccountHeld extends Conflict {
  constructor(readonly ownerId: string) {
    super('game_account_held', 'This account was already verified in a stronger way.');
  }
}
