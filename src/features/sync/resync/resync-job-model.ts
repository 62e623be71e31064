import { Schema } from 'mongoose';
import type { Actor } from '../../../core/actors/actor.js';
import { GuildModel } from '../../../platforms/database/guild-model.js';
import { giveOutbox, type WithOutbox } from '../../../platforms/events/outbox.js';

/** A resync that ended before its time: why, as a stable code and in words. */
export interface ResyncError {
  code: string;
  message: string;
}

/**
 * One resync of a guild, whole or in part: the truth about it, whichever process works on it; Agenda only
 * wakes. Who works on it holds the lease `resync:<id>` and changes it only while `fence` is that lease's.
 */
export interface ResyncJob extends WithOutbox {
  /** `job_` + 24 hex digits. */
  _id: string;
  guildId: string;
  /** Until it is finished. A guild has one such job. */
  open?: true;
  state: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';
  /** `checking`: all is planned, and what would be taken away is looked at once more before anything is written. */
  phase: 'planning' | 'checking' | 'applying';
  actor: Pick<Actor, 'kind' | 'id' | 'name'>;
  /** Null: everybody. */
  memberIds: string[] | null;
  /** It applies a plan that was shown, and to nobody who has changed since (SPEC §6.6). */
  fixedPlan: boolean;
  /** About how many members there are, until they are counted. */
  estimate: number;
  /** The rules that it is planned by, to see when they change. */
  rulesKey?: string;
  /** The Discord id up to which members are planned. */
  after: string;
  /** Of the members looked at: how many nothing is to be done for, by whatever reason. `unknown`: not to Roblox. */
  planned: { members: number; settled: number; unknown: number; blocked: number };
  /** What became of the stored changes. */
  applied: { changed: number; skipped: number; failed: number; blocked: number };
  /** Members changed before the rules did, and planning began anew. */
  changedBefore: number;
  /** The mass-removal brake (SPEC §6.2): how many members would lose roles, and their share of all, 0 to 1. */
  awaitingConfirmation?: { losing: number; share: number; since: Date };
  confirmed: boolean;
  /** It does not get on: for want of what, since when, and when it is tried again. */
  waiting?: { for: string; since: Date; attempts: number; until: Date };
  /** Since when changes are applied without a break, and how many members were processed then: for the time left. */
  pace?: { since: Date; processed: number };
  error?: ResyncError;
  /** Of the lease of who works on it, or worked last. */
  fence: number;
  createdAt: Date;
  startedAt?: Date;
  finishedAt?: Date;
}

const counter = { type: Number, default: 0 };

const schema = new Schema<ResyncJob>(
  {
    _id: { type: String, required: true },
    guildId: { type: String, required: true },
    open: Boolean,
    state: { type: String, required: true },
    phase: { type: String, required: true },
    actor: { type: { kind: String, id: String, name: String }, _id: false, required: true },
    memberIds: { type: [String], default: null },
    fixedPlan: { type: Boolean, required: true },
    estimate: { type: Number, required: true },
    rulesKey: String,
    after: { type: String, required: true },
    planned: { members: counter, settled: counter, unknown: counter, blocked: counter },
    applied: { changed: counter, skipped: counter, failed: counter, blocked: counter },
    changedBefore: counter,
    awaitingConfirmation: { type: { losing: Number, share: Number, since: Date }, _id: false },
    confirmed: { type: Boolean, required: true },
    waiting: { type: { for: String, since: Date, attempts: Number, until: Date }, _id: false },
    pace: { type: { since: Date, processed: Number }, _id: false },
    error: { type: { code: String, message: String }, _id: false },
    fence: { type: Number, required: true },
    createdAt: { type: Date, required: true },
    startedAt: Date,
    finishedAt: Date,
  },
  { collection: 'resync_jobs', versionKey: false },
);
// One unfinished job a guild; all unfinished ones, to go on with them.
schema.index({ open: 1, guildId: 1 }, { unique: true, partialFilterExpression: { open: true } });
// The latest job of a guild.
schema.index({ guildId: 1, createdAt: -1 });
// purgeResyncs: those finished long ago.
schema.index({ finishedAt: 1 }, { partialFilterExpression: { finishedAt: { $exists: true } } });
// GET /api/admin/metrics: those of all guilds that finished within a day, by state.
schema.index({ state: 1, finishedAt: 1 }, { partialFilterExpression: { finishedAt: { $exists: true } } });
// Those that a person began, and those that were about them: their erasure, and the former also the export of their data.
schema.index({ 'actor.id': 1 }, { partialFilterExpression: { 'actor.kind': 'user' } });
schema.index({ memberIds: 1 }, { partialFilterExpression: { 'memberIds.0': { $exists: true } } });

giveOutbox(schema);

export const ResyncJobs = new GuildModel<ResyncJob>('ResyncJob', schema);

/** On whose behalf a job works. */
export function actorOf({ actor: { kind, id, name } }: Pick<ResyncJob, 'actor'>): Actor {
  return { kind, id, name, role: null, platformAdmin: false };
}

/** How many of a job's members are done with. */
export function processedOf({ planned, applied }: Pick<ResyncJob, 'planned' | 'applied'>): number {
  return planned.settled + applied.changed + applied.skipped + applied.failed;
}
