import { type QueryFilter, trusted } from 'mongoose';
import { allGuildIds } from '../../core/guilds/guild-service.js';
import { AppError } from '../../lib/errors.js';
import { inSteps } from '../../platforms/database/in-steps.js';
import { withLease } from '../../platforms/database/lease.js';
import { type LinkedCount, LinkedCounts } from './linked-count-model.js';
import { type Member, Members, memberIndexes } from './member-model.js';

// A link begins or ends by one write to the member, which also marks them `uncounted`. A job counts them later in
// repeatable steps: first the guild's count, including the names of those counted, then the members. Readers add
// uncounted members, so that the number is always right, even after a crash between two of these writes.

/** Counted in one step. */
const membersPerStep = 500;

type Changed = Pick<Member, 'guildId' | 'chatUserId' | 'state' | 'counted' | 'uncounted'>;

const changedFields = { _id: 0, guildId: 1, chatUserId: 1, state: 1, counted: 1, uncounted: 1 } as const;

/** The number of linked members in each of these guilds, including those that left (API-59). */
export async function linkedMembers(guildIds: readonly string[]): Promise<Map<string, number>> {
  const ofThese = { guildId: trusted({ $in: [...guildIds] }) };
  const { counts, changed } = await readTogether(ofThese, ofThese);
  const linked = new Map(counts.map((count) => [count.guildId, totalOf([count], changed)]));
  const without = guildIds.filter((guildId) => !linked.has(guildId));
  await Promise.all(without.map(async (guildId) => linked.set(guildId, await countAmong([guildId]))));
  return linked;
}

/** The same for one guild. */
export async function countLinkedMembers(guildId: string): Promise<number> {
  return (await linkedMembers([guildId])).get(guildId) ?? 0;
}

/** The sum of linked members over all guilds; a person counts once in each. */
export async function countAllLinkedMembers(): Promise<number> {
  const { counts, changed } = await readTogether({}, { guildId: trusted({ $gt: '' }) });
  const known = new Set(counts.map(({ guildId }) => guildId));
  const without = (await allGuildIds()).filter((guildId) => !known.has(guildId));
  return totalOf(counts, changed) + (await countAmong(without));
}

/** The slow way, for guilds that have no count yet. */
async function countAmong(guildIds: string[]): Promise<number> {
  if (guildIds.length === 0) return 0;
  const linked = { guildId: trusted({ $in: guildIds }), state: 'linked' as const };
  return Members.acrossGuilds.countDocuments(linked).hint(memberIndexes.linkedAt);
}

/**
 * The counts and the uncounted members, read consistently: nothing was counted between the two reads, or nobody is
 * uncounted.
 */
async function readTogether(which: QueryFilter<LinkedCount>, whose: QueryFilter<Member>) {
  const read = async () => {
    const changed = await readChanged(whose);
    return { changed, counts: await LinkedCounts.acrossGuilds.find(which).lean<LinkedCount[]>() };
  };
  let seen = await read();
  for (let isSettled = seen.changed.length === 0; !isSettled; ) {
    const again = await read();
    isSettled = stepsOf(again.counts) === stepsOf(seen.counts);
    seen = again;
  }
  return seen;
}

const stepsOf = (counts: readonly LinkedCount[]): number =>
  counts.reduce((sum, { steps }) => sum + steps, counts.length);

function totalOf(counts: readonly LinkedCount[], changed: readonly Changed[]): number {
  const ofGuild = new Map(counts.map((count) => [count.guildId, count]));
  const counted = counts.reduce((sum, { linked }) => sum + linked, 0);
  const theirs = changed.filter(({ guildId }) => ofGuild.has(guildId));
  return theirs.reduce((sum, member) => sum + missing(member, ofGuild.get(member.guildId)?.taken), counted);
}

/** The correction that a member adds to their guild's count: 1, 0 or -1. */
function missing({ chatUserId, state, counted = false }: Changed, taken: LinkedCount['taken'] = []): number {
  const said = taken.find((one) => one.chatUserId === chatUserId)?.counted ?? counted;
  return Number(state === 'linked') - Number(said);
}

/** Counts the links that began or ended in any guild since the last time. */
export async function countChangedLinks(signal: AbortSignal): Promise<void> {
  const found = await Members.acrossGuilds
    .aggregate<{ _id: string }>([
      { $match: { guildId: { $gt: '' }, uncounted: { $exists: true } } },
      { $group: { _id: '$guildId' } },
    ])
    .hint(memberIndexes.uncounted);
  for (const { _id } of found) if (!signal.aborted) await countLinksOf(_id);
}

/** The same in one guild. Throws Conflict `busy`. */
export function countLinksOf(guildId: string): Promise<void> {
  return withLease(`linked:${guildId}`, async (lease) => {
    const { fence } = lease;
    const { taken: left } = await begin(guildId, fence);
    await markCounted(guildId, left);
    for (;;) {
      const changed = await readChanged({ guildId }, membersPerStep);
      lease.requireHeld();
      const taken = changed.map(({ chatUserId, uncounted = '', state }) => {
        return { chatUserId, uncounted, counted: state === 'linked' };
      });
      const linked = changed.reduce((sum, member) => sum + missing(member), 0);
      const step = { $set: { taken }, $inc: { linked, steps: 1 } };
      // The last step claims and names nobody, since a member may be erased.
      if ((await LinkedCounts.update({ guildId, fence }, step)) === null || changed.length === 0) return;
      await markCounted(guildId, taken);
    }
  });
}

/**
 * At each start, completes counts that a crash interrupted, since they name members. One that another process works on
 * ends without help.
 */
export async function endBegunCounts(): Promise<void> {
  const isBegun = { guildId: trusted({ $gt: '' }), 'taken.chatUserId': trusted({ $exists: true }) };
  const begun = await LinkedCounts.acrossGuilds
    .find(isBegun, { guildId: 1 })
    .hint({ 'taken.chatUserId': 1 })
    .lean<Pick<LinkedCount, 'guildId'>[]>();
  for (const { guildId } of begun) {
    await countLinksOf(guildId).catch((error: unknown) => {
      if (!(error instanceof AppError && error.code === 'busy')) throw error;
    });
  }
}

/** Members with an uncounted start or end of a link: all, or up to `limit`. */
function readChanged(whose: QueryFilter<Member>, limit = 0): Promise<Changed[]> {
  return Members.acrossGuilds
    .find({ ...whose, uncounted: trusted({ $exists: true }) }, changedFields)
    .hint(memberIndexes.uncounted)
    .limit(limit)
    .lean<Changed[]>()
    .exec();
}

/** The count of a guild under this lease. The first count starts with everybody linked before counts existed. */
async function begin(guildId: string, fence: number): Promise<LinkedCount> {
  const held = await LinkedCounts.update({ guildId }, { $set: { fence }, $inc: { steps: 1 } });
  if (held !== null) return held;
  const known = { guildId, state: 'linked' as const, counted: trusted({ $exists: false }) };
  await inSteps(Members.acrossGuilds, known, memberIndexes.chatUserId, (some) =>
    Members.acrossGuilds
      .updateMany(some, { $set: { counted: true } })
      .hint({ _id: 1 })
      .exec(),
  );
  return LinkedCounts.insert({ guildId, linked: await countCounted(guildId), taken: [], steps: 1, fence });
}

const countCounted = (guildId: string): Promise<number> =>
  Members.count({ guildId, counted: true }, { hint: memberIndexes.chatUserId });

/** Marks the claimed members as counted, also if they have changed again. */
async function markCounted(guildId: string, taken: LinkedCount['taken']): Promise<void> {
  const writes = taken.map(({ chatUserId, uncounted, counted }) => {
    const isSame = { $eq: ['$uncounted', uncounted] };
    const left = { $cond: [isSame, '$$REMOVE', '$uncounted'] };
    return { updateOne: { filter: { guildId, chatUserId }, update: [{ $set: { counted, uncounted: left } }] } };
  });
  if (writes.length > 0) await Members.acrossGuilds.collection.bulkWrite(writes as never, { ordered: false });
}

/** The guilds that have members or a count. */
async function guildsToCount(): Promise<Set<string>> {
  const [withMembers, counts] = await Promise.all([
    Members.acrossGuilds
      .aggregate<{ _id: string }>([
        { $match: { guildId: { $gt: '' } } },
        { $sort: { guildId: 1 } },
        { $group: { _id: '$guildId' } },
      ])
      .hint(memberIndexes.chatUserId),
    LinkedCounts.acrossGuilds.find({}, { guildId: 1 }).lean<Pick<LinkedCount, 'guildId'>[]>(),
  ]);
  return new Set([...withMembers.map(({ _id }) => _id), ...counts.map(({ guildId }) => guildId)]);
}

/** Recounts every guild, which repairs errors and the effects of a restored backup. */
export async function recountLinks(signal: AbortSignal): Promise<void> {
  for (const guildId of await guildsToCount()) {
    if (signal.aborted) return;
    const wrong = [
      { guildId, state: 'linked' as const, counted: trusted({ $ne: true }) },
      { guildId, state: trusted({ $ne: 'linked' as const }), counted: true },
    ];
    const mark = { $set: { uncounted: 'recount' } };
    for (const which of wrong) await Members.acrossGuilds.updateMany(which, mark).hint(memberIndexes.chatUserId);
    await countLinksOf(guildId);
    await withLease(`linked:${guildId}`, async ({ fence }) => {
      const { taken } = await begin(guildId, fence);
      await markCounted(guildId, taken);
      const linked = await countCounted(guildId);
      await LinkedCounts.update({ guildId, fence }, { $set: { linked, taken: [] }, $inc: { steps: 1 } });
    });
  }
}
