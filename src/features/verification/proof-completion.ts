import { requireStillActive } from '../../core/access/guild-access.js';
import type { Actor } from '../../core/actors/actor.js';
import { enterLog, type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import { countFact } from '../../core/counters/daily-counters.js';
import type { EventData, EventName } from '../../platforms/events/event-types.js';
import { newEvent, type OutboxEvent, push } from '../../platforms/events/outbox.js';
import { type Account, linkAccount } from '../accounts/account-service.js';
import type { AccountUse } from '../accounts/account-use.js';
import { linkByGameCode } from '../accounts/account-words.js';
import type { RejectionReason } from './failure-words.js';
import type { ProvenGame, StoredVerification } from './verification-model.js';
import { type ClaimedVerification, updateProof } from './verification-store.js';

export interface Completed {
  stored: StoredVerification;
  account: Account;
}

/**
 * Links the account that `claimed` has proved, then completes the session. Null if the proof had expired. Throws
 * Forbidden `guild_suspended`, and `linkAccount`'s errors: GameAccountHeld unless its owner is
 * `askedOwnerId`, and AccountChoiceNeeded where `use` is `ask`.
 */
export async function linkAndComplete(
  claimed: ClaimedVerification,
  game: ProvenGame,
  actor: Actor,
  { askedOwnerId, use = 'replace' }: { askedOwnerId?: string; use?: AccountUse | 'ask' | undefined } = {},
): Promise<Completed | null> {
  const { _id: provenBy, chatUserId, chatUsername, guildId, method } = claimed;
  if (guildId !== null) await requireStillActive(guildId);
  const person = { chatUserId, chatUsername, game, provenBy };
  const account =
    method === 'game_code'
      ? await linkByGameCode({ ...person, method, ...wordIn(claimed) }, actor)
      : await linkAccount({ ...person, guildId, method, use, ...(askedOwnerId && { askedOwnerId }) }, actor);
  return completeSession(claimed, account, actor);
}

/** A code's guild, and its author. In older versions' sessions nobody is known, who reaches no role. */
function wordIn({ guildId, voucher = { chatUserId: null, ceilingRoleId: guildId } }: ClaimedVerification) {
  if (guildId === null) throw new Error('A game code belongs to a guild.');
  return { guildId, voucher };
}

/** Completes a session with a linked account, and emits its event. Null if the proof had expired. */
export async function completeSession(
  claimed: ClaimedVerification,
  account: Account,
  actor: Actor,
): Promise<Completed | null> {
  const { chatUserId, guildId, method } = claimed;
  const { gameUserId, gameUsername, gameDisplayName } = account;
  const entry = newEntry({
    guildId,
    actor,
    action: 'verification.completed',
    target: personOf(claimed),
    changes: { gameUserId: { from: null, to: gameUserId }, method: { from: null, to: method } },
  });
  const game = { gameUserId, gameUsername, gameDisplayName };
  const stored = await updateProof(claimed, {
    $set: { state: 'completed', reason: null, proof: null, transfer: null, game },
    $unset: { choosing: 1 },
    ...push(...eventsFor(claimed, 'verification.completed', { chatUserId, gameUserId, gameUsername }), entry),
  });
  if (stored === null) return null;
  await enterLog(entry);
  await countFact(guildId, 'verified');
  return { stored, account };
}

/**
 * Ends a session without an account, and emits its event and `others` about the same failure. Null if the proof had
 * expired.
 */
export async function failSession(
  claimed: ClaimedVerification,
  reason: RejectionReason,
  actor: Actor,
  others: readonly NewEntry[] = [],
): Promise<StoredVerification | null> {
  const { chatUserId, guildId, method, attempts: attempt } = claimed;
  const entry = newEntry({
    guildId,
    actor,
    action: 'verification.failed',
    target: personOf(claimed),
    changes: {
      reason: { from: null, to: reason },
      method: { from: null, to: method },
      attempt: { from: attempt - 1, to: attempt },
    },
  });
  const failed = await updateProof(claimed, {
    $set: { state: 'failed', reason, proof: null, transfer: null, game: null },
    $unset: { choosing: 1, use: 1 },
    ...push(...eventsFor(claimed, 'verification.failed', { chatUserId, reason, method, attempt }), entry, ...others),
  });
  if (failed === null) return null;
  await enterLog(entry, ...others);
  await countFact(guildId, 'verificationFailed');
  return failed;
}

/**
 * The event for the session's guild. A session without a guild sends events to the guilds that it links the person in.
 */
function eventsFor<Name extends EventName>(
  { guildId }: ClaimedVerification,
  event: Name,
  data: EventData<Name>,
): OutboxEvent[] {
  return guildId === null ? [] : [newEvent(event, guildId, data)];
}

/** A session's person, as log entries name them. */
export const personOf = ({ chatUserId, chatUsername }: StoredVerification) => ({
  kind: 'member',
  id: chatUserId,
  name: chatUsername,
});
