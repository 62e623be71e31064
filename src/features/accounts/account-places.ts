import { type QueryFilter, trusted } from 'mongoose';
import { findMember } from '../members/member-service.js';
import { refusedUse } from './account-choices.js';
import { Accounts, mainFromNow, placesOf, proofsOf, type StoredAccount } from './account-model.js';
import type { AccountUse } from './account-use.js';

// A person proves up to five accounts, each stored in its own place. Another account's proof takes a free place, or the
// replaced account's place (ID-93).

/** The place that a proof is written to. */
export interface Place {
  _id: string;
  /** The account that the place holds now. */
  before: StoredAccount | null;
  /** The account that the proof replaces. In another place, it ends once the proof is settled. */
  replaced?: StoredAccount | undefined;
  /** Set if the proof becomes the person's main account. */
  mainSince?: Date | undefined;
  /** The account was not in this place before, and takes nothing over from it. */
  isFresh: boolean;
}

/** A new proof, as far as it decides about its place. */
interface Placed {
  chatUserId: string;
  guildId: string | null;
  game: { gameUserId: string };
  use?: AccountUse | 'ask';
}

/** A person has another account in use and must choose what the new proof is for. Nothing is written before. */
export class AccountChoiceNeeded extends Error {}

/**
 * Finds a new proof's place. Throws AccountChoiceNeeded if `use` is `ask` and the guild uses another account, and
 * Conflict `accounts_full` without a free place.
 */
export async function placeOf({ chatUserId, guildId, game, use = 'replace' }: Placed): Promise<Place> {
  const stored = await Accounts.find({ _id: trusted({ $in: placesOf(chatUserId) }) }).lean<StoredAccount[]>();
  const proofs = proofsOf(stored);
  const same = proofs.find(({ gameUserId }) => gameUserId === game.gameUserId);
  const isOnly = proofs.length === (same === undefined ? 0 : 1);
  const inUse = isOnly ? same : await usedIn(guildId, chatUserId, proofs);
  const isInUse = isOnly || inUse?.gameUserId === game.gameUserId;
  if (use === 'ask' && !isInUse) throw new AccountChoiceNeeded();
  const replaced = use === 'replace' && !isInUse ? inUse : undefined;
  const wasMain = replaced !== undefined && replaced === proofs[0];
  if (same !== undefined) {
    const mainSince = use === 'main' || wasMain ? mainFromNow(proofs) : undefined;
    return { _id: same._id, before: same, replaced, mainSince, isFresh: false };
  }
  if (replaced !== undefined) return { _id: replaced._id, before: replaced, replaced, isFresh: false };
  const { _id, before } = freePlace(chatUserId, stored);
  const mainSince = use === 'main' || proofs.length === 0 ? mainFromNow(proofs) : undefined;
  return { _id, before, mainSince, isFresh: true };
}

/** The proof that a guild uses now, or the main one where it uses none. */
async function usedIn(
  guildId: string | null,
  chatUserId: string,
  proofs: readonly StoredAccount[],
): Promise<StoredAccount | undefined> {
  if (guildId === null || proofs.length === 1) return proofs[0];
  const member = await findMember(guildId, chatUserId);
  return proofs.find(({ gameUserId }) => gameUserId === member?.gameUserId) ?? proofs[0];
}

/**
 * Matches a place only if its account is still the one that was read, and no mark there would be lost; otherwise the
 * unique `_id` refuses a second document.
 */
export function asRead({ _id, before }: Place): QueryFilter<StoredAccount> {
  if (before?.gameUserId === undefined) return { _id, gameUserId: trusted({ $exists: false }), ...owesNothing };
  const { gameUserId, method = null } = before;
  return { _id, gameUserId, method, ...owesNothing };
}

/**
 * Returns true for a mark with an account to end, or with servers to choose for. It is settled before another mark takes
 * its place.
 */
export const owesMore = ({ unsettled }: Pick<StoredAccount, 'unsettled'>): boolean =>
  unsettled?.replaces !== undefined || (unsettled?.chosenFor ?? []).length > 0;

/** Matches an account unless `owesMore`. */
export const owesNothing: QueryFilter<StoredAccount> = {
  'unsettled.replaces': trusted({ $exists: false }),
  'unsettled.chosenFor.0': trusted({ $exists: false }),
};

/** A place without an account, one that nothing is left to do for if possible. Throws Conflict `accounts_full`. */
function freePlace(chatUserId: string, stored: readonly StoredAccount[]): Pick<Place, '_id' | 'before'> {
  const byId = new Map(stored.map((account) => [account._id, account]));
  const places = placesOf(chatUserId);
  const isFree = (id: string) => byId.get(id)?.gameUserId === undefined;
  const free = places.find((id) => !byId.has(id)) ?? places.find(isFree);
  if (free === undefined) throw refusedUse('accounts_full');
  return { _id: free, before: byId.get(free) ?? null };
}
