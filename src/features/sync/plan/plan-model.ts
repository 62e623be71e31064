import { z } from 'zod';
import { type Actor, storedActor } from '../../../core/actors/actor.js';
import { refusalCodes } from '../../../lib/refusal-codes.js';
import { minuteMs } from '../../../lib/time.js';
import { declareDueTime } from '../../../platforms/database/due-times.js';
import { GuildModel } from '../../../platforms/database/guild-model.js';
import { schemaOf } from '../../../platforms/database/schema-of.js';
import { giveOutbox, type WithOutbox } from '../../../platforms/events/outbox.js';

/** The service that a resync waits for, or a fault on our side. */
export const resyncObstacle = z.enum([...refusalCodes.unavailable, 'internal_error']);

/** Why a resync ended early, as a stable code and in words. */
const resyncError = z.strictObject({
  code: z.enum([...resyncObstacle.options, 'bot_removed', 'guild_suspended', 'not_confirmed']),
  message: z.string(),
});
export type ResyncError = z.output<typeof resyncError>;

const counter = z.int().default(0);

/** The states while a plan is applied: a resync, in the API's words. */
export const resyncState = z.enum(['queued', 'running', 'completed', 'failed', 'cancelled']);

/**
 * A plan for changes to a guild's members. A preview is a plan that nobody has applied yet; a resync is a plan that is
 * applied, and perhaps planned before. Its changes are `planned_changes`. This document decides, for any process that
 * works on it; Agenda only wakes. A worker holds the lease `resync:<id>` and changes the plan only while `fence` is
 * that lease's.
 */
export const planFields = z.strictObject({
  /** `job_` + 24 hex digits. */
  _id: z.string(),
  guildId: z.string(),
  /** Present while it is applied. A guild has one open plan in each kind. */
  open: z.literal(true).exactOptional(),
  /** `whole`: all members; `part`: some people, or those that a preview has shown; `undo`: what a switch made. */
  kind: z.enum(['whole', 'part', 'undo']),
  /** `shown`: a preview, which may be applied until `expiresAt`. */
  state: z.enum(['shown', ...resyncState.options]),
  /** `checking`: all is planned, and losses are checked again before any write. */
  phase: z.enum(['planning', 'checking', 'applying']),
  actor: storedActor,
  /** For a preview: the person that it counts for, or an id in their place. */
  askedBy: z.string().exactOptional(),
  expiresAt: z.date().exactOptional(),
  /** When a preview's reading started. */
  asOf: z.date().exactOptional(),
  /** Null: all members. */
  memberIds: z.array(z.string()).nullable(),
  /** Applies a plan that was shown, except to members changed since (RESYNC-22). */
  fixedPlan: z.boolean(),
  /** Whether it ends the guild's observe mode: the shown changes are applied, and the guild enforces from then on. */
  goesLive: z.literal(true).exactOptional(),
  /** When it began to enforce. Then it can be undone for seven days. */
  liveAt: z.date().exactOptional(),
  /** For an undo: the plan that it takes back. */
  undoes: z.string().exactOptional(),
  /** About how many members there are, until they are counted. */
  estimate: z.int(),
  /** The stored rules that it is planned by, to see when they change. Absent when drafts are previewed. */
  rulesKey: z.string().exactOptional(),
  /** The Discord id up to which members are planned. */
  after: z.string(),
  /** How many parts are complete: pages, or a preview's answers. A later part's changes don't count. */
  parts: z.int(),
  /** Counts of the members checked; `settled`: no change needed or possible; `unknown`: Roblox reported nothing. */
  planned: z.strictObject({ members: counter, settled: counter, unknown: counter, blocked: counter }),
  /** The stored changes' results; `lost`: how many changed members lost roles. */
  applied: z.strictObject({ changed: counter, skipped: counter, failed: counter, blocked: counter, lost: counter }),
  /** Members changed before the rules changed and planning restarted, and how many of them lost roles. */
  changedBefore: counter,
  lostBefore: z.int().exactOptional(),
  /**
   * The removal limit (RESYNC-9): how many members lose roles in this run, with those that lost some `before` within the
   * hour, and their share of all, 0 to 1.
   */
  awaitingConfirmation: z
    .strictObject({ losing: z.int(), before: z.int().exactOptional(), share: z.number(), since: z.date() })
    .exactOptional(),
  /** An admin's confirmation for this many losses in the run under these rules (null: a plan that was shown). */
  confirmation: z.strictObject({ losing: z.int(), rulesKey: z.string().nullable() }).exactOptional(),
  /** It waits: the obstacle, since when, and the next attempt. */
  waiting: z.strictObject({ for: resyncObstacle, since: z.date(), attempts: z.int(), until: z.date() }).exactOptional(),
  /**
   * Since when changes are applied without a break, and how many members were processed then: for the time left.
   * `unwritten`: processed since then without this job's own write, as single syncs had made the change.
   */
  pace: z.strictObject({ since: z.date(), processed: z.int(), unwritten: z.int().exactOptional() }).exactOptional(),
  error: resyncError.exactOptional(),
  /** Whether it stays out of the log: a reconciliation without a change so far. */
  quiet: z.literal(true).exactOptional(),
  /** The fence on the current or last worker's lease. */
  fence: z.int(),
  createdAt: z.date(),
  startedAt: z.date().exactOptional(),
  finishedAt: z.date().exactOptional(),
});
export interface StoredPlan extends z.output<typeof planFields>, WithOutbox {}

const schema = schemaOf<StoredPlan>('plans', planFields);
// One open plan a guild and kind; all open ones, to continue them.
schema.index({ open: 1, guildId: 1, kind: 1 }, { unique: true, partialFilterExpression: { open: true } });
// GET …/resyncs, newest first.
schema.index({ guildId: 1, _id: -1 });
// A guild's latest resync.
schema.index({ guildId: 1, createdAt: -1 });
// purgePlans: those finished long ago; GET /api/admin/metrics: those finished within a day, by state.
schema.index({ state: 1, finishedAt: 1 }, { partialFilterExpression: { finishedAt: { $exists: true } } });
// A guild's latest switch, and purgeSwitches.
schema.index({ guildId: 1, liveAt: -1 }, { partialFilterExpression: { liveAt: { $exists: true } } });
/** The index for a person's previews, newest first, of which few are kept, and for those that are over. */
export const byAsker = { askedBy: 1, expiresAt: -1 } as const;
schema.index(byAsker, { partialFilterExpression: { askedBy: { $exists: true } } });
// Those that a person began, and those that were about them: their erasure, and the former also their data's export.
schema.index({ 'actor.id': 1 }, { partialFilterExpression: { 'actor.kind': 'user' } });
schema.index({ memberIds: 1 }, { partialFilterExpression: { 'memberIds.0': { $exists: true } } });

giveOutbox(schema);

export const Plans = new GuildModel<StoredPlan>('Plan', schema);
declareDueTime({
  ...{ model: Plans.acrossGuilds, field: 'waiting.until', longestMs: 10 * minuteMs },
  ...{ hint: { open: 1, guildId: 1, kind: 1 }, among: { open: true } },
});

export function actorOf({ actor: { kind, id, name } }: Pick<StoredPlan, 'actor'>): Actor {
  return { kind, id, name, role: null, platformAdmin: false };
}

/** A plan's state as one that is applied: a preview has not begun. */
export const stateOf = ({ state }: Pick<StoredPlan, 'state'>): z.output<typeof resyncState> =>
  state === 'shown' ? 'queued' : state;

export function processedOf({ planned, applied }: Pick<StoredPlan, 'planned' | 'applied'>): number {
  return planned.settled + applied.changed + applied.skipped + applied.failed;
}
