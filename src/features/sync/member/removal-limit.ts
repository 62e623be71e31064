import { trusted } from 'mongoose';
import { z } from 'zod';
import { enqueueReconciliation } from '../../../core/guilds/pending-reconciliations.js';
import type { GuildSettings } from '../../../core/settings/guild-settings.js';
import { clock } from '../../../lib/clock.js';
import { hourMs, minuteMs } from '../../../lib/time.js';
import { GuildModel } from '../../../platforms/database/guild-model.js';
import { schemaOf } from '../../../platforms/database/schema-of.js';
import type { Member } from '../../members/member-model.js';
import type { PendingSync } from '../../members/member-sync-fields.js';
import { isMassRemoval } from '../plan/guild-rules.js';
import { heldRemoval, type SyncPlan, withoutRemovals } from '../plan/plan.js';

/** The number of people that lost roles in a guild within a minute (SYNC-10). */
const removalFields = z.strictObject({ guildId: z.string(), minute: z.date(), people: z.int() });
type Removals = z.output<typeof removalFields>;

const schema = schemaOf<Removals>('removals', removalFields);
// The count of a guild.
schema.index({ guildId: 1, minute: 1 }, { unique: true });
// purgeRemovals: the expired ones.
schema.index({ minute: 1 });

const RemovalCounts = new GuildModel<Removals>('Removals', schema);

/** Removals within this time count together. */
const windowMs = hourMs;
const beginOfWindow = (): Date => new Date(clock.epochMs() - windowMs);

/**
 * Counts people as losing roles in this guild now. Done before the removal, so that simultaneous ones count each other.
 * A negative number takes people back that lost nothing.
 */
export async function countRemovals(guildId: string, people: number): Promise<void> {
  const minute = new Date(Math.floor(clock.epochMs() / minuteMs) * minuteMs);
  if (people !== 0) await RemovalCounts.upsert({ guildId, minute }, { $inc: { people } });
}

/** The number of people that lost roles in a guild within the hour. */
export async function recentRemovals(guildId: string): Promise<number> {
  const found = await RemovalCounts.find({ guildId, minute: trusted({ $gt: beginOfWindow() }) });
  return Math.max(
    0,
    found.reduce((sum, { people }) => sum + people, 0),
  );
}

/** Starts the count of a guild again, once an admin has confirmed a plan that it held. */
export async function restartCount(guildId: string): Promise<void> {
  await RemovalCounts.acrossGuilds.deleteMany({ guildId });
}

export async function purgeRemovals(now: Date): Promise<void> {
  const before = new Date(now.getTime() - windowMs);
  await RemovalCounts.acrossGuilds.deleteMany({ minute: trusted({ $lte: before }) });
}

/** A sync of one member, as far as the removal limit asks about it. */
interface LimitedSync {
  guildId: string;
  /** The number of people in the guild, as Discord last said. */
  guildSize: number;
  stored: Member | null;
  pending: PendingSync;
  massRemoval: GuildSettings['massRemoval'];
}

/**
 * Applies the removal limit of the guild to a sync of one member (SYNC-11): returns the plan, or the plan without its
 * removals while those wait for an admin. The first one beyond the limit makes a whole resync pending, which holds the
 * rest as a plan.
 */
export async function withinRemovalLimit(sync: LimitedSync, plan: SyncPlan): Promise<SyncPlan> {
  if (plan.remove.length === 0 && plan.kick === undefined) return plan;
  const { guildId, guildSize, stored, pending, massRemoval } = sync;
  if (isHeld(stored)) return withoutRemovals(plan);
  if (pending.counted === true || hasLost(stored)) return plan;
  await countRemovals(guildId, 1);
  if (!isMassRemoval(await recentRemovals(guildId), guildSize, massRemoval)) return plan;
  await countRemovals(guildId, -1);
  await enqueueReconciliation([guildId]);
  return withoutRemovals(plan);
}

/** The plan that a sync of this member would carry out now: nothing is taken while that waits for an admin. Pure. */
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
