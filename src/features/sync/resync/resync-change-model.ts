import { Schema, type Types } from 'mongoose';
import { GuildModel } from '../../../platforms/database/guild-model.js';
import type { Member } from '../../members/member-model.js';
import type { SyncPlan } from '../plan/plan.js';

/**
 * How a change is written, and so which of Discord's rate limits it counts against: one role given, one taken, or
 * several things at once (SPEC §6.3).
 */
export const changeKinds = ['give', 'take', 'edit'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** What a resync job is going to do to one member. */
export interface ResyncChange {
  _id: Types.ObjectId;
  guildId: string;
  jobId: string;
  chatUserId: string;
  chatUsername: string;
  /** The Discord id behind which its page began. */
  page: string;
  add: string[];
  remove: string[];
  nickname?: string | null;
  blocked: SyncPlan['blocked'];
  kind: ChangeKind;
  /** The member on Discord as the plan saw them. */
  seen: { roleIds: string[]; nickname: string | null };
  /** How they stood with us then; a null state: not known. */
  standing: { state: Member['state'] | null; gameUserId: string | null };
  /** The groups for not being in which they would lose something. */
  absentFrom: string[];
  /** How old the facts are that it was planned from. */
  asOf: Date;
  state: 'pending' | 'done' | 'skipped' | 'failed';
  attempts: number;
  /** When it is (again) to be tried. */
  dueAt: Date;
}

const schema = new Schema<ResyncChange>(
  {
    guildId: { type: String, required: true },
    jobId: { type: String, required: true },
    chatUserId: { type: String, required: true },
    chatUsername: { type: String, required: true },
    page: { type: String, required: true },
    add: [String],
    remove: [String],
    nickname: String,
    blocked: [{ roleId: String, reason: String, _id: false }],
    kind: { type: String, required: true },
    seen: { roleIds: [String], nickname: String },
    standing: { state: String, gameUserId: String },
    absentFrom: [String],
    asOf: { type: Date, required: true },
    state: { type: String, required: true },
    attempts: { type: Number, required: true },
    dueAt: { type: Date, required: true },
  },
  // `remove` would shadow a method of Mongoose documents, which are never made.
  { collection: 'resync_changes', versionKey: false, suppressReservedKeysWarning: true },
);
/** The index by which all changes of a job are gone through. */
export const byMember = { jobId: 1, chatUserId: 1 } as const;
// One change a member and job; all of a job, step by step.
schema.index(byMember, { unique: true });
// The next change of a kind that is due, in the order of planning; how many there are of each state.
schema.index({ jobId: 1, state: 1, kind: 1, dueAt: 1, _id: 1 });

export const ResyncChanges = new GuildModel<ResyncChange>('ResyncChange', schema);
