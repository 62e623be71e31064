import { Schema } from 'mongoose';
import type { Actor } from '../auth/actor.js';
import { GuildModel } from '../database/guild-model.js';
import { newId } from '../lib/ids.js';
import { currentLogContext } from '../lib/logger.js';

/** The changed fields of what an entry tells of, before and after. */
export type Changes = Readonly<Record<string, { from: unknown; to: unknown }>>;

/** One change that somebody made, through whatever door (SPEC §4 logs). */
export interface AuditEntry {
  _id: string;
  /** The guild it happened in; `platform` for what belongs to none. */
  guildId: string;
  at: Date;
  actor: { kind: Actor['kind']; id: string; name: string };
  /** Noun and past participle: `mapping.created`, `member.unlinked` … */
  action: string;
  target: { kind: string; id: string; name?: string };
  changes?: Changes;
  requestId?: string;
}

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
// A guild's log, newest first, from any place on; ids of one guild sort by time.
schema.index({ guildId: 1, at: -1, _id: -1 });

const AuditLog = new GuildModel<AuditEntry>('AuditEntry', schema);

/** Writes down a change, after it is made and before it is answered, with the request or job that it came by. */
export async function recordAudit(entry: {
  guildId: string | null;
  actor: Actor;
  action: string;
  target: AuditEntry['target'];
  changes?: Changes;
}): Promise<void> {
  const { guildId, actor, action, target, changes } = entry;
  const { requestId, interactionId, jobId } = currentLogContext();
  const origin = requestId ?? interactionId ?? jobId;
  const at = new Date();
  await AuditLog.insert({
    _id: newId('log', at),
    guildId: guildId ?? 'platform',
    at,
    actor: { kind: actor.kind, id: actor.id, name: actor.name },
    action,
    target,
    ...(changes !== undefined && { changes }),
    ...(origin !== undefined && { requestId: origin }),
  });
}

/** The newest entries of a guild, at most `limit`. */
export function latestEntries(guildId: string, limit: number): Promise<AuditEntry[]> {
  return AuditLog.find({ guildId }, { sort: { at: -1, _id: -1 }, limit });
}
