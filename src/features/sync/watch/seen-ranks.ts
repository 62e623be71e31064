import { type AnyBulkWriteOperation, trusted } from 'mongoose';
import { clock } from '../../../lib/clock.js';
import { dayMs, minuteMs } from '../../../lib/time.js';
import { oweForRanks } from '../../linked-roles/linked-role-service.js';
import { changedGroups, groupOf, heldFrom } from '../../members/held-ranks.js';
import { guildsOfAccounts } from '../../members/linked-accounts.js';
import { oweSync } from '../../members/member-service.js';
import type { Readings } from './account-reading.js';
import type { RankInterests } from './rank-interests.js';
import { lookEveryMs, rankTargetMs } from './rank-target.js';
import { giveTurns } from './watched-links.js';
import { type WatchedAccount, WatchedAccounts } from './watched-models.js';

/** A first reading within this time of the link owes a sync: what the link's own sync saw is not known. */
const freshLinkMs = 10 * minuteMs;
/** Whose ranks matter nowhere now is looked at again after this time: a mapping may have been added. */
const idleEveryMs = 10 * minuteMs;

/** An account, and the guilds in which it matters now. */
export interface Subject extends WatchedAccount {
  /** The groups that matter there. */
  groupIds: readonly string[];
}

/** Where each of these accounts matters now. Those that are linked nowhere are watched no longer, and left out. */
export async function subjectsOf(accounts: readonly WatchedAccount[], interests: RankInterests): Promise<Subject[]> {
  const guilds = await guildsOfAccounts(accounts.map(({ chatUserId }) => chatUserId));
  const gone = accounts.filter(({ _id }) => !guilds.has(_id)).map(({ _id }) => _id);
  if (gone.length > 0) await WatchedAccounts.deleteMany({ _id: trusted({ $in: gone }) });
  return accounts.flatMap((account) => {
    const guildIds = guilds.get(account._id);
    return guildIds === undefined ? [] : { ...account, guildIds, groupIds: interests.groupsFor(guildIds) };
  });
}

/**
 * Notes readings that began at `seenAt`, and owes syncs where a difference matters; `paced` waits before each. Of whom
 * something newer was noted meanwhile, by a look at a group, nothing is noted: an older state would hide the next change.
 */
export async function noteReadings(
  subjects: readonly Subject[],
  readings: Pick<Readings, 'get'>,
  context: { seenAt: Date; interests: RankInterests; paced: () => Promise<void> },
): Promise<void> {
  const { seenAt, interests, paced } = context;
  const writes: AnyBulkWriteOperation<WatchedAccount>[] = [];
  const moved: { guildId: string }[] = [];
  for (const subject of subjects) {
    if (subject.seenAt !== undefined && subject.seenAt > seenAt) continue;
    const ranks = readings.get(subject._id);
    const next = nextLook(subject, interests, seenAt);
    const held = ranks === undefined ? undefined : heldFrom(ranks, subject.groupIds);
    if (held !== undefined) {
      const differing = differingGroups(subject, held);
      await oweSyncs(subject, differing, interests, paced);
      await oweForRanks(subject.chatUserId, differing);
    }
    const update = { $set: { ...next, ...(held !== undefined && { held, seenAt }) } };
    const { _id, linkedAt, held: before } = subject;
    writes.push({ updateOne: { filter: { _id, linkedAt, held: before }, update } });
    if (next.guildId !== subject.guildId) moved.push(next);
  }
  if (writes.length > 0) await WatchedAccounts.bulkWrite(writes, { ordered: false });
  await giveTurns(moved, clock.now());
}

function differingGroups({ held: before, seenAt, linkedAt, groupIds }: Subject, held: readonly string[]) {
  const isFreshLink = seenAt === undefined && clock.epochMs() - linkedAt.getTime() < freshLinkMs;
  return isFreshLink ? groupIds : changedGroups(before, held);
}

/** When to look at an account again, and in whose turn. */
function nextLook(
  { guildIds, guildId: home, plan: former, groupIds }: Subject,
  interests: RankInterests,
  seenAt: Date,
) {
  const best = interests.bestOf(guildIds);
  const { guildId, plan } = best ?? { guildId: guildIds[0] ?? home, plan: former };
  const glanced = interests.areCounted(groupIds);
  const everyMs = groupIds.length > 0 ? lookEveryMs(rankTargetMs(plan), { glanced }) : idleMs(guildIds);
  return { guildId, guildIds: [...guildIds], plan, glanced, dueAt: new Date(seenAt.getTime() + everyMs) };
}

const idleMs = (guildIds: readonly string[]): number => (guildIds.length === 0 ? dayMs : idleEveryMs);

/** Owes syncs in the guilds of a person that go by one of these groups. */
async function oweSyncs(
  { chatUserId, guildIds }: Pick<Subject, 'chatUserId' | 'guildIds'>,
  groupIds: readonly string[],
  interests: RankInterests,
  paced: () => Promise<void>,
): Promise<void> {
  if (groupIds.length === 0) return;
  for (const guildId of guildIds) {
    if (!interests.groupsFor([guildId]).some((groupId) => groupIds.includes(groupId))) continue;
    await paced();
    await oweSync(guildId, chatUserId, 'rank_change');
  }
}

/**
 * Notes what a page of one group showed of these watched accounts, and owes syncs. What is not known of the group yet
 * waits for the account's own reading.
 */
export async function notePage(
  groupId: string,
  page: Readings,
  context: { interests: RankInterests; paced: () => Promise<void> },
): Promise<string[]> {
  const among = { _id: trusted({ $in: [...page.keys()] }) };
  const watched = await WatchedAccounts.find(among).lean<WatchedAccount[]>();
  for (const account of watched) {
    const ranks = page.get(account._id) ?? new Map();
    const now = heldFrom(ranks, [groupId]);
    if (changedGroups(account.held, now).length === 0) continue;
    await oweSyncs(account, [groupId], context.interests, context.paced);
    await oweForRanks(account.chatUserId, [groupId]);
    const held = [...account.held.filter((text) => groupOf(text) !== groupId), ...now].sort();
    await WatchedAccounts.updateOne({ _id: account._id, held: account.held }, { $set: { held } });
  }
  return watched.map(({ _id }) => _id);
}
