import { type AnyBulkWriteOperation, trusted } from 'mongoose';
import { Batcher } from '../../lib/batcher.js';
import { clock } from '../../lib/clock.js';
import { minuteMs } from '../../lib/time.js';
import { inSteps } from '../../platforms/database/in-steps.js';
import { serviceState } from '../../platforms/database/service-state.js';
import { rankFrom } from '../members/held-ranks.js';
import { linkedSince } from '../members/linked-accounts.js';
import { urgentAt, type WatchedAccount, WatchedAccounts, WatchedGuilds } from './watched-models.js';

/** Processes' clocks differ, and a link is stored a moment after its time. */
const overlapMs = 5 * minuteMs;
const linksAtOnce = 1_000;

/** The time up to which links were taken over. */
interface WatchedLinks {
  _id: string;
  upTo: Date;
}
const _id = 'watched_links';

/** Takes over new links in all guilds. @returns how many links it read. */
export async function takeOverLinks(): Promise<number> {
  const now = clock.now();
  const progress = await serviceState<WatchedLinks>().findOne({ _id });
  let upTo = new Date(Math.min(progress?.upTo.getTime() ?? 0, now.getTime()));
  let taken = 0;
  for await (const links of linkedSince(new Date(upTo.getTime() - overlapMs), linksAtOnce)) {
    await takeOver(links);
    taken += links.length;
    const newest = links.at(-1)?.linkedAt;
    if (newest === undefined || newest <= upTo) continue;
    upTo = newest;
    await keepProgress(upTo);
  }
  // Otherwise links made shortly before the newest would be read repeatedly until the next link.
  if (now.getTime() - upTo.getTime() > overlapMs) await keepProgress(now);
  return taken;
}

async function keepProgress(upTo: Date): Promise<void> {
  await serviceState<WatchedLinks>().updateOne({ _id }, { $set: { upTo } }, { upsert: true });
}

interface Link {
  guildId: string;
  chatUserId: string;
  gameUserId: string;
  linkedAt: Date;
}

/** A link newer than the account's last one makes it urgent; a known link changes nothing. */
async function takeOver(links: readonly Link[]): Promise<void> {
  const now = clock.now();
  const unset = (name: string, value: unknown) => ({ $ifNull: [`$${name}`, value] });
  const writes = links.map(({ guildId, chatUserId, gameUserId, linkedAt }): AnyBulkWriteOperation<WatchedAccount> => {
    const known = unset('linkedAt', new Date(0));
    // A time in the future dates from before the clock was set back.
    const isStray = { $and: [{ $gt: [known, now] }, { $ne: [known, linkedAt] }] };
    const isNews = { $or: [{ $gt: [linkedAt, known] }, isStray] };
    const update = {
      $set: {
        chatUserId: { $cond: [isNews, chatUserId, '$chatUserId'] },
        guildId: unset('guildId', guildId),
        guildIds: unset('guildIds', [guildId]),
        plan: unset('plan', 'free'),
        held: unset('held', []),
        glanced: unset('glanced', false),
        dueAt: { $cond: [isNews, now, '$dueAt'] },
        linkedAt: { $cond: [isNews, linkedAt, '$linkedAt'] },
      },
    };
    return { updateOne: { filter: { _id: gameUserId }, update: [update], upsert: true } };
  });
  const { upsertedCount, modifiedCount } = await WatchedAccounts.bulkWrite(writes, { ordered: false });
  if (upsertedCount + modifiedCount === 0) return;
  const found = await WatchedAccounts.find(
    { _id: trusted({ $in: links.map(({ gameUserId }) => gameUserId) }) },
    { guildId: 1 },
  ).lean<Pick<WatchedAccount, 'guildId'>[]>();
  await scheduleBatches(found, now);
}

/** Schedules these accounts' guild batches for `at`, unless they come earlier. */
export async function scheduleBatches(accounts: readonly Pick<WatchedAccount, 'guildId'>[], at: Date): Promise<void> {
  const guildIds = [...new Set(accounts.map(({ guildId }) => guildId))];
  const writes = guildIds.map((_id) => ({
    updateOne: {
      filter: { _id },
      update: { $min: { turnAt: at }, $setOnInsert: { behind: false, claimedUntil: urgentAt } },
      upsert: true,
    },
  }));
  if (writes.length > 0) await WatchedGuilds.bulkWrite(writes, { ordered: false });
}

/** Reads these accounts before all others. */
export async function makeUrgent(accounts: readonly Pick<WatchedAccount, '_id' | 'guildId'>[]): Promise<void> {
  if (accounts.length === 0) return;
  await WatchedAccounts.updateMany(
    { _id: trusted({ $in: accounts.map(({ _id }) => _id) }) },
    { $set: { dueAt: urgentAt } },
  );
  await scheduleBatches(accounts, urgentAt);
}

/** By then every process has read new rules: each reads them once a minute. */
const rulesKnownMs = 2 * minuteMs;

/** Makes people due soon in guilds that begin to name a group, if they had none until now (RANK-40). */
export async function makeIdleDue(guildIds: readonly string[]): Promise<void> {
  const dueAt = new Date(clock.epochMs() + rulesKnownMs);
  const idle = {
    guildIds: trusted({ $in: [...guildIds] }),
    seenAt: trusted({ $exists: false }),
    // Those due earlier too: a process without the new rules would put them off for a day.
    dueAt: trusted({ $ne: dueAt }),
  };
  await inSteps(WatchedAccounts, idle, { guildIds: 1, seenAt: 1 }, async (some) => {
    const homes = await WatchedAccounts.find(some, { guildId: 1 }).lean<Pick<WatchedAccount, 'guildId'>[]>();
    // Before the people: a killed process leaves none due without a turn.
    await scheduleBatches(homes, dueAt);
    await WatchedAccounts.updateMany(some, { $set: { dueAt } }).hint({ _id: 1 }).exec();
  });
}

/** Schedules an early reading for a watched account whose person came to a guild. A crowd shares one read. */
export async function watchSoon(chatUserId: string): Promise<void> {
  await comers.add(chatUserId);
}

const comersPerRead = 1_000;

const comers = new Batcher<string, undefined>(
  async (chatUserIds) => {
    const among = { chatUserId: trusted({ $in: [...chatUserIds] }) };
    await makeUrgent(await WatchedAccounts.find(among, { guildId: 1 }).lean<WatchedAccount[]>());
    return [];
  },
  { most: comersPerRead },
);

export async function ranksSeenOf(chatUserId: string) {
  const found = await WatchedAccounts.find({ chatUserId }).lean<WatchedAccount[]>();
  return found.map(({ _id: gameUserId, held, seenAt }) => ({ gameUserId, ranks: held.map(rankFrom), seenAt }));
}

export async function forgetRanksOf(chatUserId: string, gameUserId?: string): Promise<void> {
  await WatchedAccounts.deleteMany({ chatUserId, ...(gameUserId !== undefined && { _id: gameUserId }) });
}
