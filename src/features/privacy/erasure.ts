import { teamsOf } from '../../core/access/teammate-service.js';
import { chatUser, type ErasedPerson, systemActor } from '../../core/actors/actor.js';
import { anonymiseAccounts, anonymiseEntries, anonymiseGame } from '../../core/audit/audit-anonymity.js';
import { type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import { sealActor } from '../../core/audit/sealed-actors.js';
import { endSessionsOf, sessionsOf } from '../../core/auth/session-service.js';
import { eraseDrafts } from '../../core/drafts/review-drafts.js';
import { eraseSuspender } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { inLane } from '../../lib/lane.js';
import { PatientWork } from '../../lib/patient-work.js';
import { minuteMs, secondMs } from '../../lib/time.js';
import { withLease } from '../../platforms/database/lease.js';
import { poke, pokeAt, standing } from '../../platforms/jobs/standing.js';
import { type Account, allAccounts, eraseAccount } from '../accounts/account-service.js';
import { areInStep, eraseMemberships, forgetGame, guildsThatUsed, linkTimesOf } from '../accounts/member-erasure.js';
import { eraseLinkedRole, findLinkedRole } from '../linked-roles/linked-role-service.js';
import { eraseFromImports, eraseGameFromImports } from '../people-import/people-import-service.js';
import { forgetRanksOf } from '../rank-watch/watched-links.js';
import { eraseFromRankChanges } from '../ranking/rank-changes-of-person.js';
import { erasePreviews } from '../sync/preview/stored-previews.js';
import { eraseFromResyncs, eraseGameFromPlans } from '../sync/resync/resyncs-of-person.js';
import { eraseTeammate } from '../team/teammate-erasure.js';
import { eraseTokenMaker, tokensMadeBy } from '../tokens/tokens-of-person.js';
import { eraseClaimQuestions } from '../verification/claim-questions.js';
import { eraseVerifications, verificationsOf } from '../verification/verification-store.js';
import { eraseFromDeliveries } from '../webhooks/deliveries-of-person.js';
import { relayNow } from '../webhooks/relay-job.js';
import {
  type Erasure,
  endErasure,
  findErasure,
  openErasures,
  storeErasure,
  storeGameErasure,
} from './erasure-store.js';

/**
 * Starts to erase a person. They are signed out immediately; the rest follows automatically, even after a crash. Their
 * links end everywhere (reason `erased`). Members are removed after their roles are taken back, as each guild's
 * settings require. Log entries stay under a pseudonym, which a guild's owner may open for 30 days.
 */
export async function erasePerson(chatUserId: string, name: string): Promise<void> {
  const [moment, accounts] = await Promise.all([momentOfWish(chatUserId), allAccounts(chatUserId)]);
  const erasure = await storeErasure(chatUserId, name, moment, accounts);
  await endSessionsOf(chatUserId, erasure.requestedAt);
  poke(erasures);
}

/**
 * Starts to erase one account when its person has proved others. Its links end (reason `erased`), and data naming it
 * goes. Everything else about the person stays. Follows automatically, even after a crash.
 */
export async function eraseGame(chatUserId: string, { gameUserId, linkedAt }: GameAccount): Promise<void> {
  const at = new Date(Math.max(clock.epochMs(), linkedAt.getTime()));
  await storeGameErasure({ chatUserId, gameUserId }, at, await guildsThatUsed(chatUserId, gameUserId));
  poke(erasures);
}

type GameAccount = Pick<Account, 'gameUserId' | 'linkedAt'>;

/**
 * The request's time: now, or the person's latest known time if the machine's clock was set back since. That data is
 * included.
 */
async function momentOfWish(chatUserId: string): Promise<Date> {
  const [links, sessions, teams, linkedRole] = await Promise.all([
    linkTimesOf(chatUserId),
    sessionsOf(chatUserId),
    teamsOf(chatUserId),
    findLinkedRole(chatUserId),
  ]);
  const known = [...links, ...sessions.map(({ startedAt }) => startedAt), ...teams.map(({ invitedAt }) => invitedAt)];
  for await (const { createdAt } of tokensMadeBy(chatUserId)) known.push(createdAt);
  for await (const { createdAt } of verificationsOf(chatUserId)) known.push(createdAt);
  if (linkedRole?.connectedAt !== undefined) known.push(linkedRole.connectedAt);
  // Older versions' sessions lack their start time.
  return new Date(Math.max(clock.epochMs(), ...known.map((at) => at?.getTime() ?? 0)));
}

const erasures = standing({
  name: 'erasures',
  everyMs: minuteMs,
  atStart: true,
  run: (signal) => goOnErasing(signal),
});

const erasing = new PatientWork('erasures');

/** Continues every erasure that is not complete. */
export async function goOnErasing(signal: AbortSignal): Promise<void> {
  for (const { _id } of await openErasures()) {
    if (signal.aborted) return;
    await erasing.on(_id, () => inLane('single', () => withLease(`erasure:${_id}`, () => goOnWith(_id, signal))));
  }
}

/** Another process may have finished it in the meantime. */
async function goOnWith(chatUserId: string, signal: AbortSignal): Promise<void> {
  const erasure = await findErasure(chatUserId);
  if (erasure !== null) await (erasure.of === undefined ? erase : eraseOneGame)(erasure, signal);
}

/**
 * Each step can be repeated. The log comes last, since ending the links writes to it, and so do the syncs after it: they
 * name the nickname taken back.
 */
async function eraseOneGame(erasure: Erasure, signal: AbortSignal): Promise<void> {
  const { of: { chatUserId, gameUserId } = { chatUserId: '', gameUserId: '' }, requestedAt, pseudonym } = erasure;
  const { guildIds = [] } = erasure;
  const person: ErasedPerson = { chatUserId, requestedAt, pseudonym, actor: chatUser(chatUserId, chatUserId) };
  await eraseFromDeliveries(person, gameUserId);
  await eraseAccount(person, gameUserId);
  await eraseVerifications(person, gameUserId);
  await forgetRanksOf(chatUserId, gameUserId);
  await eraseGameFromPlans(chatUserId, gameUserId, guildIds);
  await eraseGameFromImports(chatUserId, gameUserId);
  await relayNow(signal);
  if (signal.aborted) return;
  const areOver = (await areInStep(chatUserId, guildIds)) && (await eraseFromDeliveries(person, gameUserId));
  if (!areOver) return checkSoon(requestedAt);
  // Their last syncs may have stored differences.
  await eraseGameFromPlans(chatUserId, gameUserId, guildIds);
  await forgetGame(chatUserId, gameUserId, guildIds);
  await eraseFromRankChanges(person, [{ gameUserId }], gameUserId);
  await anonymiseGame(chatUserId, gameUserId, guildIds);
  await anonymiseAccounts([{ gameUserId }], pseudonym);
  await endErasure(erasure, entryOf(pseudonym));
}

/**
 * Each step can be repeated and finds its remaining work. The log comes last, since the other steps write to it. It
 * waits for all entries: one left in a document by a crash would arrive under the person's name.
 */
async function erase(erasure: Erasure, signal: AbortSignal): Promise<void> {
  const { _id: chatUserId, username, requestedAt, pseudonym, accounts = [] } = erasure;
  const person: ErasedPerson = { chatUserId, requestedAt, pseudonym, actor: chatUser(chatUserId, username) };
  await endSessionsOf(chatUserId, requestedAt);
  await eraseFromDeliveries(person);
  await eraseAccount(person);
  await eraseTeammate(person);
  await eraseTokenMaker(person);
  await eraseSuspender(person);
  await eraseFromResyncs(person);
  await eraseFromImports(person);
  await eraseClaimQuestions(person);
  await erasePreviews(person);
  await eraseDrafts(person);
  await forgetRanksOf(chatUserId);
  const isDisconnected = await eraseLinkedRole(person);
  await relayNow(signal);
  if (signal.aborted) return;
  // Repeated for data that was still on its way to them.
  const areGone = await Promise.all([
    eraseMemberships(person),
    eraseVerifications(person),
    eraseFromDeliveries(person),
  ]);
  await eraseFromRankChanges(person, accounts);
  if (!isDisconnected || !areGone.every(Boolean)) return checkSoon(requestedAt);
  // Their last syncs may have stored differences.
  await eraseFromResyncs(person);
  await sealActor(person);
  await anonymiseEntries(chatUserId, pseudonym);
  await anonymiseAccounts(accounts, pseudonym);
  await endErasure(erasure, entryOf(pseudonym));
}

function entryOf(pseudonym: string): NewEntry {
  const target = { kind: 'account', id: pseudonym };
  return newEntry({ guildId: null, actor: systemActor('erasure'), action: 'account.erased', target });
}

/**
 * Checks again soon for an erasure that waits. The delay equals the request's age, between a second and the job's
 * minute. The syncs that take roles back usually end within a second.
 */
function checkSoon(requestedAt: Date): void {
  const ageMs = Math.abs(clock.epochMs() - requestedAt.getTime());
  const inMs = Math.min(Math.max(ageMs, secondMs), minuteMs);
  pokeAt(erasures, new Date(clock.epochMs() + inMs));
}
