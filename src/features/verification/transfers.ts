import { trusted } from 'mongoose';
import { type Actor, systemActor } from '../../core/actors/actor.js';
import { enterLog, newEntry } from '../../core/audit/audit-service.js';
import { clock } from '../../lib/clock.js';
import { NotFound } from '../../lib/errors.js';
import { hashSecret } from '../../lib/ids.js';
import { PatientWork } from '../../lib/patient-work.js';
import { t, withLocale } from '../../lib/translate.js';
import { verbatim } from '../../platforms/discord/channel-messages.js';
import { deliverDirectMessage } from '../../platforms/discord/direct-messages.js';
import { push } from '../../platforms/events/outbox.js';
import { requireUse, UseRefused } from '../accounts/account-choices.js';
import { entryOfDisowning } from '../accounts/account-disowning.js';
import { localeOfPerson } from '../accounts/account-notices.js';
import { findAccount } from '../accounts/account-service.js';
import { GameAccountHeld } from '../accounts/proof-strength.js';
import { failSession, linkAndComplete, personOf } from './proof-completion.js';
import { acceptAge, ProofRejected, rejectionReason } from './proof-rejected.js';
import type { ProvenGame, StoredVerification } from './verification-model.js';
import { rulesOf } from './verification-rules.js';
import {
  type ClaimedVerification,
  claimHeld,
  heldLifeMs,
  noteOwnerNotified,
  openTransfers,
  updateProof,
} from './verification-store.js';

const waits = { state: 'awaiting_transfer' } as const;

// An account proved by OAuth moves immediately by OAuth. By any other method it moves after a day without the owner's
// objection (ID-10).

/** Holds an account's proof if its owner's proof cannot be overruled immediately. Null if the proof had expired. */
export async function holdTransfer(
  claimed: ClaimedVerification,
  game: ProvenGame,
  ownerId: string,
  { kind, id, name }: Actor,
): Promise<StoredVerification | null> {
  const since = clock.now();
  const entry = newEntry({
    guildId: claimed.guildId,
    actor: { kind, id, name, role: null, platformAdmin: false },
    action: 'verification.transfer_held',
    target: personOf(claimed),
    changes: { gameUserId: { from: null, to: game.gameUserId } },
  });
  const held = await updateProof(claimed, {
    $set: {
      state: 'awaiting_transfer',
      reason: null,
      proof: null,
      game,
      transfer: { ownerId, told: false, since, by: { kind, id, name } },
      ...(claimed.use && { use: claimed.use }),
      expiresAt: new Date(since.getTime() + heldLifeMs),
    },
    $unset: { choosing: 1 },
    ...push(entry),
  });
  if (held === null) return null;
  await enterLog(entry);
  void settleTransfer(held);
  return held;
}

/**
 * "Keep it": the owner objects to the account's transfer that a session waits for, which ends the session. Throws
 * NotFound `session_not_found` when the session waits for another account, or there is nothing (any more) that `owner`
 * could object to.
 */
export async function objectToTransfer(sessionId: string, gameUserId: string | undefined, owner: Actor): Promise<void> {
  // Earlier versions' buttons name no account. Keeping the current one is harmless.
  const account = gameUserId === undefined ? {} : { 'game.gameUserId': gameUserId };
  const theirs = { 'transfer.ownerId': owner.id, ...account };
  const claimed = await claimHeld({ _id: sessionId, ...waits, ...theirs }, owner);
  if (claimed === null) throw nothingToObjectTo();
  const disowned = entryOfDisowning(claimed.game?.gameUserId ?? null, owner);
  // The losing person's guild does not learn the account's owner.
  const failed = await failSession(claimed, 'objected_by_owner', systemActor('objection'), [disowned]);
  if (failed === null) throw nothingToObjectTo();
}

const nothingToObjectTo = (): NotFound => new NotFound('session_not_found', 'There is nothing left to object to.');

/** Notifies owners that were not notified yet, and moves accounts after their day is over. */
export async function settleTransfers(signal: AbortSignal): Promise<void> {
  for await (const held of openTransfers()) {
    if (signal.aborted) return;
    await settleTransfer(held);
  }
}

const settling = new PatientWork('transfers');

/** Never throws: a later run repeats a failed transfer. */
async function settleTransfer(held: StoredVerification): Promise<void> {
  await settling.on(held._id, async () => {
    if (held.transfer?.told === false) await notifyOwner(held, held.transfer.ownerId);
    else if (held.expiresAt <= clock.now()) await move(held);
  });
}

/** The day begins when Discord has taken the message, or has said that it won't. */
async function notifyOwner(
  { _id, chatUsername, game, method, transfer }: StoredVerification,
  ownerId: string,
): Promise<void> {
  const question = method === 'discord_connection' ? 'transfer.question_connection' : 'transfer.question';
  const words = withLocale(await localeOfPerson(ownerId), () => ({
    content: t(question, { who: verbatim(chatUsername), account: verbatim(game?.gameUsername ?? '') }),
    label: t('transfer.keep'),
  }));
  const buttons = [{ customId: `transfer-keep:${_id}:${game?.gameUserId}`, label: words.label, isDanger: true }];
  // Another account in the same session is another question, which Discord has to send too.
  const nonce = hashSecret([_id, game?.gameUserId, transfer?.since.getTime()].join(':'));
  await deliverDirectMessage(ownerId, words.content, { buttons, nonce });
  if (transfer !== null) await noteOwnerNotified(_id, transfer.since);
}

async function move({ _id, chatUserId, transfer }: StoredVerification): Promise<void> {
  if (transfer === null) return;
  const by: Actor = { ...transfer.by, role: null, platformAdmin: false };
  const due = { 'transfer.told': true, 'transfer.since': transfer.since, expiresAt: trusted({ $lte: clock.now() }) };
  const claimed = await claimHeld({ _id, ...waits, ...due }, by);
  if (claimed === null || claimed.game === null) return;
  try {
    const { use } = claimed;
    const account = use === 'here' ? null : await findAccount(chatUserId);
    if (account !== null && account.linkedAt > transfer.since) throw new ProofRejected('superseded');
    acceptAge(claimed.game, (await rulesOf(claimed.guildId)).minimumAccountAgeDays);
    if (use !== undefined) await requireUse(claimed, claimed.game.gameUserId, use);
    await linkAndComplete(claimed, claimed.game, by, { askedOwnerId: transfer.ownerId, use });
  } catch (error) {
    // Somebody else has proved the account in that day. They are asked too.
    if (error instanceof GameAccountHeld) {
      await holdTransfer(claimed, claimed.game, error.ownerId, by);
      return;
    }
    const reason = error instanceof UseRefused ? 'superseded' : rejectionReason(error);
    if (reason !== null) await failSession(claimed, reason, by);
    else await updateProof(claimed, { $set: { proof: null } });
    if (reason === null) throw error;
  }
}
