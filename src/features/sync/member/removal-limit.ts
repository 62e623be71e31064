import { trusted } from 'mongoose';
import { z } from 'zod';
import { enqueueReconciliation } from '../../../core/guilds/pending-reconciliations.js';
import { clock } from '../../../lib/clock.js';
import { hourMs, minuteMs } from '../../../lib/time.js';
import { upsertDirectly } from '../../../platforms/database/direct-writes.js';
import { isDuplicateKey } from '../../../platforms/database/duplicate-key.js';
import { GuildModel } from '../../../platforms/database/guild-model.js';
import { schemaOf } from '../../../platforms/database/schema-of.js';
import type { Member } from '../../members/member-model.js';
import type { PendingSync } from '../../members/member-sync-fields.js';
import { heldRemoval, type SyncPlan, withoutRemovals } from '../plan/plan.js';

/** The people that lost roles in a guild within the hour, by the minute (SYNC-10). `_id` is the guild. */
const removalFields = z.strictObject({
  _id: z.string(),
  guildId: z.string(),
  /** Single people, minute by minute, and each counted plan (`planId`) at the minute of its check. */
  minutes: z.array(z.strictObject({ at: z.date(), people: z.int(), planId: z.string().exactOptional() })),
  /** Whether the last people to be counted were within the limit. */
  isGranted: z.boolean(),
  latest: z.date(),
});
type Removals = z.output<typeof removalFields>;

const schema = schemaOf<Removals>('removals', removalFields);
// purgeRemovals: the expired ones.
schema.index({ latest: 1 });

const RemovalCounts = new GuildModel<Removals>('Removals', schema);

/** Removals within this time count together. */
const windowMs = hourMs;
const beginOfWindow = (): Date => new Date(clock.epochMs() - windowMs);

const planOfCount = { $ifNull: ['$$this.planId', null] };

/**
 * Counts a person as losing roles in this guild now, unless more than `most` people would have lost some within the
 * hour. Returns the count's minute; null: beyond the limit.
 */
export async function reserveRemoval(guildId: string, most: number): Promise<Date | null> {
  const at = thisMinute();
  const isOwn = { $and: [{ $eq: ['$$this.at', at] }, { $eq: [planOfCount, null] }] };
  const inMinute = { $map: { input: '$minutes', in: { $cond: [isOwn, '$$this.people', 0] } } };
  return (await count(guildId, most, { isOwn, counted: { at, people: { $add: [{ $sum: inMinute }, 1] } } }))
    ? at
    : null;
}

/**
 * Counts a plan's losses now in place of its former count, unless more than `most` people would have lost roles in the
 * guild within the hour. Returns whether it counts; beyond the limit the former count stays.
 */
export async function countPlan(
  guildId: string,
  { planId, losing }: { planId: string; losing: number },
  most: number,
): Promise<boolean> {
  if (losing > 0) {
    return count(guildId, most, {
      isOwn: { $eq: [planOfCount, planId] },
      counted: { at: thisMinute(), people: losing, planId },
    });
  }
  await RemovalCounts.update({ guildId, _id: guildId, 'minutes.planId': planId }, { $pull: { minutes: { planId } } });
  return true;
}

const thisMinute = (): Date => new Date(Math.floor(clock.epochMs() / minuteMs) * minuteMs);

/** Puts a count in its own place. One command checks and does it, so that writes at the same moment count each other. */
async function count(guildId: string, most: number, { isOwn, counted }: { isOwn: object; counted: object }) {
  const recent = { $filter: { input: { $ifNull: ['$minutes', []] }, cond: { $gt: ['$$this.at', beginOfWindow()] } } };
  const others = { $filter: { input: '$minutes', cond: { $not: [isOwn] } } };
  const wish = { $concatArrays: [others, [counted]] };
  const write = () =>
    upsertDirectly(RemovalCounts.acrossGuilds, guildId, [
      { $set: { guildId, latest: thisMinute(), minutes: recent } },
      { $set: { wish } },
      { $set: { isGranted: { $lte: [{ $sum: '$wish.people' }, most] } } },
      { $set: { minutes: { $cond: ['$isGranted', '$wish', '$minutes'] } } },
      { $unset: 'wish' },
    ]);
  // Two processes may count a guild's first people at the same moment.
  const stored = await write().catch((error) => (isDuplicateKey(error) ? write() : Promise.reject(error)));
  return stored?.isGranted === true;
}

/** Takes a person back that lost nothing. `at`: their count's minute. */
export async function releaseRemoval(guildId: string, at: Date): Promise<void> {
  const minutes = trusted({ $elemMatch: { at, planId: { $exists: false } } });
  await RemovalCounts.update({ guildId, _id: guildId, minutes }, { $inc: { 'minutes.$.people': -1 } });
}

/** How many people lost roles in a guild within the hour; those of the plan `except` are left out. */
export async function recentRemovals(guildId: string, except?: string): Promise<number> {
  const { minutes = [] } = (await RemovalCounts.findOne({ guildId, _id: guildId })) ?? {};
  const begin = beginOfWindow();
  const recent = minutes.filter(({ at, planId }) => at > begin && (planId === undefined || planId !== except));
  return Math.max(
    0,
    recent.reduce((sum, { people }) => sum + people, 0),
  );
}

/** Starts a guild's count again, once an admin has confirmed a plan that it held. */
export async function restartCount(guildId: string): Promise<void> {
  await RemovalCounts.acrossGuilds.deleteOne({ _id: guildId, guildId });
}

export async function purgeRemovals(now: Date): Promise<void> {
  const before = new Date(now.getTime() - windowMs);
  await RemovalCounts.acrossGuilds.deleteMany({ latest: trusted({ $lte: before }) });
}

/** One member's sync, as far as the removal limit asks about it. */
interface LimitedSync {
  guildId: string;
  stored: Member | null;
  /** The people that may lose roles within the hour, with this one; undefined: this one has counted already. */
  mostRemovals: number | undefined;
}

/** The limit to which one member's sync is held; undefined: its removals have counted already. Pure. */
export function limitOf(stored: Member | null, { counted }: PendingSync, most: number): number | undefined {
  return counted === true || hasLost(stored) ? undefined : most;
}

/**
 * Applies the guild's removal limit to one member's sync (SYNC-11): returns the plan, or the plan without its removals
 * while those wait for an admin. The first one beyond the limit makes a whole resync pending, which holds the rest as a
 * plan. The gate at the write counts the person.
 */
export async function withinRemovalLimit(sync: LimitedSync, plan: SyncPlan): Promise<SyncPlan> {
  if (plan.remove.length === 0 && plan.kick === undefined) return plan;
  const { guildId, stored, mostRemovals } = sync;
  if (isHeld(stored)) return withoutRemovals(plan);
  if (mostRemovals === undefined || (await recentRemovals(guildId)) < mostRemovals) return plan;
  await enqueueReconciliation([guildId]);
  return withoutRemovals(plan);
}

/** The plan that this member's sync would carry out now: nothing is taken while that waits for an admin. Pure. */
export function asHeld(stored: Member | null, plan: SyncPlan): SyncPlan {
  const takes = plan.remove.length > 0 || plan.kick !== undefined;
  return takes && isHeld(stored) ? withoutRemovals(plan) : plan;
}

/** Whether a member's removals wait for an admin, by a plan that waits or was thrown away. */
const isHeld = (stored: Member | null): boolean => stored?.blockedBy?.includes(heldRemoval) === true;

/** Whether a member has counted already: they lost roles within the hour, or a try to take them was interrupted. */
function hasLost(stored: Member | null): boolean {
  const { syncs = [], applying, kicking } = stored ?? {};
  const begin = beginOfWindow();
  const isRecent = syncs.some(({ at, removed, error }) => error === undefined && removed.length > 0 && at > begin);
  return isRecent || kicking !== undefined || (applying?.removed.length ?? 0) > 0;
}
