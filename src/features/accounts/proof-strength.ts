import { type QueryFilter, trusted } from 'mongoose';
import { Conflict } from '../../lib/errors.js';
import { type AccountMethod, personOfAccount, placesOf, type StoredAccount } from './account-model.js';

/** Proof methods in order, from the easiest account to take to the hardest (ID-10). */
const byHardness: readonly AccountMethod[] = ['profile_code', 'discord_connection', 'oauth'];

/** The harder to take among two methods that link the same account to the same person. */
export function harderToTake(before: AccountMethod | undefined, now: AccountMethod): AccountMethod {
  return before !== undefined && byHardness.indexOf(before) > byHardness.indexOf(now) ? before : now;
}

/** The proof parts that decide which accounts it may take. */
interface Proof {
  method: AccountMethod;
  askedOwnerId?: string;
}

/** A filter for others' proofs that a proof takes immediately. Words yield where they are seen (PEOPLE-2). */
export function takenBy(proof: Proof): QueryFilter<StoredAccount> {
  const proved = { guildId: trusted({ $exists: false }) };
  const { method, askedOwnerId } = proof;
  if (method === 'oauth') return proved;
  if (askedOwnerId === undefined) return { ...proved, method: 'profile_code' };
  return { ...proved, $or: [{ method: 'profile_code' }, { _id: trusted({ $in: placesOf(askedOwnerId) }) }] };
}

/** Whether `takenBy` matches an account. */
export const isTakenBy = (account: Pick<StoredAccount, '_id' | 'method'>, proof: Proof): boolean =>
  account.method !== undefined &&
  (proof.method === 'oauth' || account.method === 'profile_code' || personOfAccount(account) === proof.askedOwnerId);

/**
 * The game account, or another one this person has, is held by a proof that a new proof or word cannot overrule
 * immediately (ID-10).
 */
export class GameAccountHeld extends Conflict {
  constructor(readonly ownerId: string) {
    super('game_account_held', 'This account was already verified in a stronger way.');
  }
}
