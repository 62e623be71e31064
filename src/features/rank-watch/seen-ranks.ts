import { type AnyBulkWriteOperation, trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { dayMs, minuteMs } from '../../lib/time.js';
import { enqueueForRanks } from '../linked-roles/linked-role-service.js';
import { changedGroups, groupOf, heldFrom } from '../members/held-ranks.js';
import { guildsOfAccounts, type LinkedGuild } from '../members/linked-accounts.js';
import type { Readings } from './account-reading.js';
import { enqueueNewer, isLater, type Reading } from './newer-ranks.js';
import type { RankInterests } from './rank-interests.js';
import { pollEveryMs, rankTargetMs } from './rank-target.js';
import { scheduleBatches } from './watched-links.js';
import { type WatchedAccount, WatchedAccounts } from './watched-models.js';

/** A first reading this soon after the link enqueues a sync, unless the ranks used by the link's own sync are known. */
const freshLinkMs = 10 * minuteMs;
/**
 * Times until an account is looked at while its guilds name no group. A guild that begins to name one makes it due. A new
 * account, or one read before, comes sooner: this process may not know the newest rules.
 */
const [idleMs, newlyIdleMs] = [dayMs, 10 * minuteMs];

export interface Subject extends WatchedAccount {
  groupIds: readonly string[];
  /** The person's links there. */
  linkedIn: readonly LinkedGuild[];
}

/** The guilds in which each account here matters now. Accounts without a link are watched no longer, and left out. */
export async function subjectsOf(accounts: readonly WatchedAccount[], interests: RankInterests): Promise<Subject[]> {
  const guilds = await guildsOfAccounts(accounts.map(({ chatUserId }) => chatUserId));
  const gone = accounts.filter(({ _id }) => !guilds.has(_id)).map(({ _id }) => _id);
  if (gone.length > 0) await WatchedAccounts.deleteMany({ _id: trusted({ $in: gone }) });
  return accounts.flatMap((account) => {
    const linkedIn = guilds.get(account._id);
    if (linkedIn === undefined) return [];
    const guildIds = linkedIn.map(({ guildId }) => guildId);
    return { ...account, guildIds, linkedIn, groupIds: interests.groupsFor(guildIds) };
  });
}

/**
 * Stores readings that began at `seenAt`, and enqueues syncs that differ from the last ones; `paced` waits before each.
 * If a group's poll has stored something newer about a person, their reading is dropped: an older state would hide the
 * next change. No ranks are kept for accounts without a named group (RANK-2).
 */
export async function noteReadings(
  subjects: readonly Subject[],
  readings: Pick<Readings, 'get'>,
  context: { seenAt: Date; interests: RankInterests; paced: () => Promise<void> },
): Promise<void> {
  const { seenAt, interests, paced } = context;
  const current = subjects.filter((subject) => subject.seenAt === undefined || !isLater(subject.seenAt, seenAt));
  const read = current.flatMap((subject) => readingOf(subject, readings, seenAt) ?? []);
  const differing = await enqueueNewer(read, paced);
  for (const { chatUserId, groupIds, held, before, isFresh } of read)
    await enqueueForRanks(chatUserId, isFresh ? groupIds : changedGroups(before, held));
  const held = new Map(read.map((reading) => [reading.gameUserId, [...reading.held]]));
  const writes: AnyBulkWriteOperation<WatchedAccount>[] = [];
  const moved: { guildId: string }[] = [];
  for (const subject of current) {
    const next = nextReading(subject, interests, { seenAt, isDiffering: differing.has(subject._id) });
    const now = held.get(subject._id);
    writes.push({ updateOne: writeOf(subject, next, now && { held: now, seenAt }) });
    if (next.guildId !== subject.guildId) moved.push(next);
  }
  if (writes.length > 0) await WatchedAccounts.bulkWrite(writes, { ordered: false });
  await scheduleBatches(moved, clock.now());
}

/** The update for an account after a reading, which changes nothing if the account was changed meanwhile. Pure. */
function writeOf(
  { _id, linkedAt, held, dueAt, groupIds }: Subject,
  next: ReturnType<typeof nextReading>,
  seen: Pick<Required<WatchedAccount>, 'held' | 'seenAt'> | undefined,
) {
  const unchanged = { _id, linkedAt, held };
  if (groupIds.length > 0) return { filter: unchanged, update: { $set: { ...next, ...seen } } };
  return { filter: { ...unchanged, dueAt }, update: { $set: { ...next, held: [] }, $unset: { seenAt: 1 } } };
}

function readingOf(subject: Subject, readings: Pick<Readings, 'get'>, readAt: Date): Reading | undefined {
  const { _id: gameUserId, chatUserId, groupIds, held: before, seenAt, linkedAt, linkedIn } = subject;
  const ranks = readings.get(gameUserId);
  if (ranks === undefined) return undefined;
  const isFresh = seenAt === undefined && isFreshLink(linkedAt);
  const held = heldFrom(ranks, groupIds);
  return { gameUserId, chatUserId, readAt, groupIds, held, before, isFresh, linkedIn };
}

const isFreshLink = (linkedAt: Date): boolean => clock.epochMs() - linkedAt.getTime() < freshLinkMs;

/** An account's next reading, and its guild: soon if a sync still has to see the same ranks. */
function nextReading(
  { guildIds, guildId: home, plan: former, groupIds, linkedAt, seenAt: readAt }: Subject,
  interests: RankInterests,
  { seenAt, isDiffering }: { seenAt: Date; isDiffering: boolean },
) {
  const best = interests.bestOf(guildIds);
  const { guildId, plan } = best ?? { guildId: guildIds[0] ?? home, plan: former };
  const glanced = interests.areCounted(groupIds);
  const pollMs = pollEveryMs(rankTargetMs(plan), { glanced: glanced && !isDiffering });
  const isNewlyIdle = readAt !== undefined || isFreshLink(linkedAt);
  const everyMs = groupIds.length > 0 ? pollMs : isNewlyIdle ? newlyIdleMs : idleMs;
  return { guildId, guildIds: [...guildIds], plan, glanced, dueAt: new Date(seenAt.getTime() + everyMs) };
}

/** Reads these accounts soon: a sync has to see the same ranks. */
async function readSoon(accounts: readonly WatchedAccount[], readAt: Date): Promise<void> {
  for (const { _id, guildId, plan } of accounts) {
    const dueAt = new Date(readAt.getTime() + pollEveryMs(rankTargetMs(plan)));
    await WatchedAccounts.updateOne({ _id }, { $min: { dueAt } });
    await scheduleBatches([{ guildId }], dueAt);
  }
}

/**
 * Stores a group's page, with these watched accounts, and enqueues syncs; its reading began at `readAt`. If neither the
 * account nor a sync knows the group, the account's own reading decides.
 */
export async function notePage(
  groupId: string,
  page: Readings,
  { readAt, paced }: { readAt: Date; paced: () => Promise<void> },
): Promise<string[]> {
  const among = { _id: trusted({ $in: [...page.keys()] }) };
  const watched = await WatchedAccounts.find(among).lean<WatchedAccount[]>();
  if (watched.length === 0) return [];
  const guilds = await guildsOfAccounts(watched.map(({ chatUserId }) => chatUserId));
  const readings = watched.map(({ _id: gameUserId, chatUserId, held: before }): Reading => {
    const held = heldFrom(page.get(gameUserId) ?? new Map(), [groupId]);
    const linkedIn = guilds.get(gameUserId) ?? [];
    return { gameUserId, chatUserId, readAt, groupIds: [groupId], held, before, isFresh: false, linkedIn };
  });
  const differing = await enqueueNewer(readings, paced);
  for (const { gameUserId: _id, chatUserId, held: now, before } of readings) {
    if (changedGroups(before, now).length === 0) continue;
    await enqueueForRanks(chatUserId, [groupId]);
    const held = [...before.filter((text) => groupOf(text) !== groupId), ...now].sort();
    await WatchedAccounts.updateOne({ _id, held: [...before] }, { $set: { held } });
  }
  await readSoon(
    watched.filter(({ _id }) => differing.has(_id)),
    readAt,
  );
  return watched.map(({ _id }) => _id);
}
