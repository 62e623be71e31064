import { randomUUID } from 'node:crypto';
import { type QueryFilter, trusted, type UpdateQuery } from 'mongoose';
import type { Actor, ErasedPerson } from '../../core/actors/actor.js';
import { clock } from '../../lib/clock.js';
import { RateLimited } from '../../lib/errors.js';
import { dayMs, hourMs, minuteMs } from '../../lib/time.js';
import { removeInSteps } from '../../platforms/database/in-steps.js';
import { withLease } from '../../platforms/database/lease.js';
import { outboxIsEmpty } from '../../platforms/events/outbox.js';
import { proofLifeMs, type StoredVerification, Verifications } from './verification-model.js';

/** At most 5 proofs a session, and 10 sessions an hour that a person begins, or one guild's tokens for them (VER-4). */
export const maxAttempts = 5;
const maxSessionsAnHour = 10;
/** A session lives 15 minutes from its start or last retry, one with a code from a game 10 (VER-4). */
export const sessionLifeMs = 15 * minuteMs;
/** Time for a person to confirm a proof by a guild's token, and for an owner to object to a transfer (VER-14). */
export const heldLifeMs = dayMs;

/** An expired session can be read and retried for one more day. */
const keptAfterExpiryMs = dayMs;

/** Stores a new session. Throws RateLimited for the eleventh within an hour, also when they race. */
export async function insertVerification(session: StoredVerification): Promise<void> {
  const { chatUserId, tokenGuildId, createdAt } = session;
  await withLease(`verifications:${chatUserId}`, async () => {
    const since = new Date(createdAt.getTime() - hourMs);
    const begun = { chatUserId, tokenGuildId, createdAt: trusted({ $gt: since }) };
    const recent = await Verifications.find(begun, { createdAt: 1 })
      .sort({ createdAt: -1 })
      .limit(maxSessionsAnHour)
      .lean<Pick<StoredVerification, 'createdAt'>[]>();
    const oldest = recent[maxSessionsAnHour - 1];
    if (oldest !== undefined) {
      const seconds = Math.ceil((oldest.createdAt.getTime() - since.getTime()) / 1000);
      throw new RateLimited(seconds, `Too many verifications in an hour. Try again in ${Math.ceil(seconds / 60)} min.`);
    }
    await Verifications.create(session);
  });
}

/** One session by its token's or its OAuth state's hash. */
export function findVerification(
  by: { _id: string } | { 'oauth.stateHash': string },
): Promise<StoredVerification | null> {
  return Verifications.findOne(by).lean<StoredVerification | null>().exec();
}

/**
 * The session for a code to type in a guild's game, or for a redeemed code that waits for its person. Null if there is
 * none, and in the unlikely case of two.
 */
export async function findByGameCode(guildId: string, code: string, now: Date): Promise<StoredVerification | null> {
  const found = await Verifications.find({
    guildId,
    phrase: code,
    method: 'game_code',
    state: trusted({ $in: ['pending', 'awaiting_confirmation'] }),
    expiresAt: trusted({ $gt: now }),
  })
    .limit(2)
    .lean<StoredVerification[]>();
  const [only] = found;
  return found.length === 1 && only !== undefined ? only : null;
}

export function proofInProgress({ proof }: StoredVerification, now: Date): boolean {
  return proof !== null && proof.until > now;
}

/** The opposite of `proofInProgress` as a filter: no proof is being checked, or its process died. */
const proofIsFree = (now: Date): QueryFilter<StoredVerification> => ({
  $or: [{ proof: null }, { 'proof.until': trusted({ $lte: now }) }],
});

/** Stores Discord's answer about the person, for the proof that comes next. */
export async function keepConnected(
  { _id }: StoredVerification,
  connected: readonly NonNullable<StoredVerification['connected']>[number][],
): Promise<void> {
  const asked = { _id, state: 'pending' as const, method: 'discord_connection' as const };
  await Verifications.updateOne(asked, { $set: { connected: [...connected] } });
}

export type ClaimedVerification = StoredVerification & { proof: NonNullable<StoredVerification['proof']> };

/**
 * Counts a proof and reserves the session for it, in one write: when two race, exactly one gets it. Null when the
 * session is not pending any more, has expired, changed its method, has no proofs left, or another proof is being
 * checked.
 */
export function claimProof(
  { _id, method }: Pick<StoredVerification, '_id' | 'method'>,
  gameUsername: string | null,
  by: Actor,
): Promise<ClaimedVerification | null> {
  const now = clock.now();
  return Verifications.findOneAndUpdate(
    {
      _id,
      method,
      state: 'pending',
      expiresAt: trusted({ $gt: now }),
      attempts: trusted({ $lt: maxAttempts }),
      ...proofIsFree(now),
    },
    {
      $inc: { attempts: 1 },
      $set: { gameUsername, proof: newProof(by, now) },
      $unset: { choosing: 1, use: 1 },
    },
    { returnDocument: 'after' },
  )
    .lean<ClaimedVerification | null>()
    .exec();
}

function newProof({ kind, id, name }: Actor, now: Date): ClaimedVerification['proof'] {
  return { id: randomUUID(), until: new Date(now.getTime() + proofLifeMs), by: { kind, id, name } };
}

/**
 * Claims a held session to end its waiting: when two callers race, exactly one gets it. Null if it is not held so any
 * more, or is claimed already.
 */
export function claimHeld(
  held: QueryFilter<StoredVerification> & { _id: string },
  by: Actor,
): Promise<ClaimedVerification | null> {
  const now = clock.now();
  return Verifications.findOneAndUpdate(
    { ...held, ...proofIsFree(now) },
    { $set: { proof: newProof(by, now) } },
    { returnDocument: 'after' },
  )
    .lean<ClaimedVerification | null>()
    .exec();
}

/** Changes a session for the proof that claimed it; null if that proof had expired. */
export function updateProof(
  { _id, proof }: ClaimedVerification,
  change: UpdateQuery<StoredVerification>,
): Promise<StoredVerification | null> {
  return Verifications.findOneAndUpdate({ _id, 'proof.id': proof.id }, change, { returnDocument: 'after' })
    .lean<StoredVerification | null>()
    .exec();
}

/** The sessions that wait for an account to move, the oldest first. */
export function openTransfers(): AsyncIterable<StoredVerification> {
  return Verifications.find({ 'transfer.since': trusted({ $exists: true }) })
    .sort({ 'transfer.since': 1 })
    .lean<StoredVerification>()
    .cursor();
}

/** An account's owner was asked about the transfer that began at `since`: their day to object begins. */
export async function noteOwnerNotified(_id: string, since: Date): Promise<void> {
  const expiresAt = new Date(clock.epochMs() + heldLifeMs);
  await Verifications.updateOne(
    { _id, 'transfer.told': false, 'transfer.since': since },
    { $set: { 'transfer.told': true, expiresAt } },
  );
}

export function killedProofs(now: Date): AsyncIterable<ClaimedVerification> {
  return Verifications.find({ 'proof.until': trusted({ $lte: now }) })
    .lean<ClaimedVerification>()
    .cursor();
}

/**
 * Makes a session pending again. Null if it is completed, has no proofs left, or a proof is being checked. With
 * `sparesHeld` also null while it waits for an answer.
 */
export function restartVerification(
  _id: string,
  change: Partial<StoredVerification>,
  now: Date,
  sparesHeld: boolean,
): Promise<StoredVerification | null> {
  const held = [
    { state: 'awaiting_confirmation' as const, expiresAt: trusted({ $gt: now }) },
    { state: 'awaiting_transfer' as const },
  ];
  return Verifications.findOneAndUpdate(
    {
      _id,
      state: trusted({ $ne: 'completed' as const }),
      attempts: trusted({ $lt: maxAttempts }),
      ...proofIsFree(now),
      ...(sparesHeld && { $nor: held }),
    },
    {
      $set: { ...change, state: 'pending', reason: null, game: null, proof: null, transfer: null },
      $unset: { choosing: 1, use: 1 },
    },
    { returnDocument: 'after' },
  )
    .lean<StoredVerification | null>()
    .exec();
}

/**
 * Removes the sessions that a person started before they asked to be erased, or those about one account. Returns false
 * while some sessions' events are not relayed yet.
 */
export async function eraseVerifications(
  { chatUserId, requestedAt }: ErasedPerson,
  gameUserId?: string,
): Promise<boolean> {
  const naming = ['game.gameUserId', 'connected.gameUserId'].map((field) => ({ [field]: gameUserId }));
  const proving = gameUserId !== undefined && { $or: naming };
  const begun = { chatUserId, createdAt: trusted({ $lte: requestedAt }), ...proving };
  await Verifications.deleteMany(begun);
  return (await Verifications.exists(begun)) === null;
}

export function verificationsOf(chatUserId: string): AsyncIterable<StoredVerification> {
  return Verifications.find({ chatUserId }).sort({ createdAt: 1 }).lean<StoredVerification>().cursor();
}

/**
 * Removes sessions a day after they expired, except for accounts that are still to be moved. The embedded database has
 * no TTL indexes.
 */
export async function purgeVerifications(now: Date): Promise<void> {
  const longExpired = trusted({ $lte: new Date(now.getTime() - keptAfterExpiryMs) });
  const isOver = { expiresAt: longExpired, state: trusted({ $ne: 'awaiting_transfer' as const }) };
  await removeInSteps(Verifications, { ...isOver, ...outboxIsEmpty }, { expiresAt: 1 });
}
