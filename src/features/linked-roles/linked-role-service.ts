import { trusted } from 'mongoose';
import PQueue from 'p-queue';
import { config } from '../../config/config.js';
import { type Actor, type ErasedPerson, systemActor } from '../../core/actors/actor.js';
import { enterLog, newEntry } from '../../core/audit/audit-service.js';
import type { PersonTokens } from '../../core/auth/discord-oauth.js';
import { clock } from '../../lib/clock.js';
import { NotFound } from '../../lib/errors.js';
import { SeparateWork } from '../../lib/patient-work.js';
import { minuteMs } from '../../lib/time.js';
import { t } from '../../lib/translate.js';
import { push } from '../../platforms/events/outbox.js';
import { poke, standing } from '../../platforms/jobs/standing.js';
import { publishedKeys } from './linked-role-facts.js';
import { connectionOf, type LinkedRole, LinkedRoles, updates } from './linked-role-model.js';
import { type EndReason, entryOfEnd, settleLinkedRole, storedTokens } from './linked-role-writing.js';

const peoplePerRun = 1_000;
const atOnce = 25;

export const publishesFacts = (): boolean => config().linkedRoles.length > 0;

/** Throws NotFound where the operator publishes nothing. */
export function requireFacts(): void {
  if (publishesFacts()) return;
  throw new NotFound('not_found', t('page.no_linked_roles'));
}

/** Writes people's pending updates (LINK-10): on wake-up, and every minute. */
export const writeLinkedRoles = standing({
  name: 'write-linked-roles',
  everyMs: minuteMs,
  atStart: false,
  run: (signal) => settleDueRoles(signal),
});

const settling = new SeparateWork('linked_roles');

async function settleDueRoles(signal: AbortSignal): Promise<void> {
  const due = await LinkedRoles.find({ dueAt: trusted({ $lte: clock.now() }) }, { _id: 1 })
    .sort({ dueAt: 1 })
    .limit(peoplePerRun)
    .lean<Pick<LinkedRole, '_id'>[]>();
  const queue = new PQueue({ concurrency: atOnce });
  await queue.addAll(
    due.map(
      ({ _id }) =>
        () =>
          signal.aborted ? Promise.resolve() : settling.on(_id, () => settleLinkedRole(_id)),
    ),
  );
}

const soon = (): void => poke(writeLinkedRoles);

/** Enqueues an update for a connected person after a change to facts that servers may use. */
export async function enqueueLinkedRole(chatUserId: string): Promise<void> {
  if (!publishesFacts()) return;
  const found = await updates.enqueue(connectionOf(chatUserId), { change: { $inc: { wish: 1 } } });
  if (found > 0) soon();
}

export async function enqueueForRanks(chatUserId: string, groupIds: readonly string[]): Promise<void> {
  const named = config().linkedRoles.some(({ groupId = '' }) => groupIds.includes(groupId));
  if (named) await enqueueLinkedRole(chatUserId);
}

/** Matches every connection, by its due time. */
const everybody = { dueAt: trusted({ $gt: new Date(0) }) };

/**
 * Enqueues an update for people whose facts on Discord differ from the published ones. With none published, all
 * connections end.
 */
export async function enqueueByConfiguration(): Promise<void> {
  if (publishesFacts()) {
    const others = { ...everybody, keys: trusted({ $ne: publishedKeys() }) };
    await updates.enqueue(others, { change: { $inc: { wish: 1 } } });
    soon();
    return;
  }
  const living = { ...everybody, endingSince: trusted({ $exists: false }) };
  const found = LinkedRoles.find(living, { _id: 1 }).hint({ dueAt: 1 }).lean<Pick<LinkedRole, '_id'>>();
  for await (const { _id } of found.cursor()) await end(_id, systemActor('linked-roles'), 'switched_off');
}

/** Stores the tokens that allow writing for a person, in place of older ones, and enqueues the first check. */
export async function connectLinkedRole(person: Actor, tokens: PersonTokens): Promise<void> {
  const now = clock.now();
  const target = { kind: 'person', id: person.id, name: person.name };
  const entry = newEntry({ guildId: null, actor: person, action: 'linked_role.connected', target });
  const connected = { connectedAt: now, ...(await storedTokens(person.id, tokens)), dueAt: now, failures: 0 };
  const former = { endingSince: 1, written: 1, keys: 1, removedAt: 1 } as const;
  const update = { $set: connected, $inc: { wish: 1 }, $unset: former, ...push(entry) };
  await LinkedRoles.updateOne({ _id: person.id }, update, { upsert: true });
  await enterLog(entry);
  soon();
}

/**
 * Ends a person's connection: removes the facts from Discord and forgets the tokens. Does nothing without a connection.
 */
export async function disconnectLinkedRole(person: Actor): Promise<void> {
  await end(person.id, person, 'self');
}

async function end(chatUserId: string, actor: Actor, reason: EndReason, until = clock.now()): Promise<void> {
  const entry = entryOfEnd(chatUserId, actor, reason);
  const ending = { $set: { endingSince: clock.now() }, $inc: { wish: 1 }, ...push(entry) };
  const theirs = { ...connectionOf(chatUserId), connectedAt: trusted({ $lte: until }) };
  if ((await updates.enqueue(theirs, { change: ending })) === 0) return;
  await enterLog(entry);
  soon();
}

/**
 * Ends a connection that an erased person made before the request. Returns whether nothing is left; otherwise it
 * continues automatically, for a day at most.
 */
export async function eraseLinkedRole({ chatUserId, requestedAt, actor }: ErasedPerson): Promise<boolean> {
  const isThere = () => LinkedRoles.exists({ _id: chatUserId, connectedAt: trusted({ $lte: requestedAt }) });
  if ((await isThere()) === null) return true;
  await end(chatUserId, actor, 'erased', requestedAt);
  await settleLinkedRole(chatUserId);
  return (await isThere()) === null;
}

/** A person's stored connection; null if there is none or it is being removed. */
export async function findLinkedRole(chatUserId: string): Promise<LinkedRole | null> {
  return LinkedRoles.findOne(connectionOf(chatUserId)).lean<LinkedRole>();
}

/** A person's stored connection for an export, even while it is being removed. */
export async function storedLinkedRole(chatUserId: string): Promise<LinkedRole | null> {
  return LinkedRoles.findOne({ _id: chatUserId, connectedAt: trusted({ $exists: true }) }).lean<LinkedRole>();
}
