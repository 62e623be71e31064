import { Schema } from 'mongoose';
import { GuildModel } from '../../platforms/database/guild-model.js';
import type { Actor } from '../actors/actor.js';
import type { AuditAction } from './audit-actions.js';

/** The changed fields, before and after. */
export type Changes = Readonly<Record<string, { from: unknown; to: unknown }>>;

/** One change, through whichever door it came (SPEC §4 Log). */
export interface AuditEntry {
  /** `log_` + 24 hex digits. */
  _id: string;
  /** The guild it happened in; `platform` when it belongs to no guild. */
  guildId: string;
  at: Date;
  actor: { kind: Actor['kind']; id: string; name: string };
  action: AuditAction;
  target: { kind: string; id: string; name?: string };
  changes?: Changes;
  /** The id of the request, interaction or job that made the change. */
  requestId?: string;
}

/** Takes the place of a guild's id in entries that belong to no guild. */
export const platformLog = 'platform';

const schema = new Schema<AuditEntry>(
  {
    _id: { type: String, required: true },
    guildId: { type: String, required: true },
    at: { type: Date, required: true },
    actor: { type: { kind: String, id: String, name: String }, _id: false, required: true },
    action: { type: String, required: true },
    target: { type: { kind: String, id: String, name: String }, _id: false, required: true },
    changes: Schema.Types.Mixed,
    requestId: String,
  },
  { collection: 'audit_log', versionKey: false },
);
// GET …/logs and its export, newest first, also ?from= and ?to=; the purge of what is older than the plan keeps.
schema.index({ guildId: 1, at: -1, _id: -1 });
// GET …/logs?action=
schema.index({ guildId: 1, action: 1, at: -1, _id: -1 });
// GET …/logs?actorId=, /logs member:; with the person first, their entries in all guilds when they are erased.
schema.index({ 'actor.id': 1, guildId: 1, at: -1, _id: -1 });
// GET …/logs?targetId=, /logs member:; likewise.
schema.index({ 'target.id': 1, guildId: 1, at: -1, _id: -1 });

export const AuditLog = new GuildModel<AuditEntry>('AuditEntry', schema);

/** The order of every log: newest first, and the same again after each insert. */
export const newestFirst = { at: -1, _id: -1 } as const;
