import { z } from 'zod';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { storedActor } from '../actors/actor.js';
import { auditAction } from './audit-actions.js';

/** The changed fields of what an entry tells of, before and after. */
export const changedFields = z.record(z.string(), z.strictObject({ from: z.unknown(), to: z.unknown() }));
export type Changes = Readonly<z.output<typeof changedFields>>;

/** One change that somebody made, through whatever door (LOG-1). */
export const auditEntryFields = z.strictObject({
  /** `log_` + 24 hex digits. */
  _id: z.string(),
  /** The guild it happened in; `platform` when it belongs to no guild. */
  guildId: z.string(),
  at: z.date(),
  actor: storedActor,
  action: auditAction,
  target: z.strictObject({ kind: z.string(), id: z.string(), name: z.string().exactOptional() }),
  changes: changedFields.exactOptional(),
  requestId: z.string().exactOptional().describe('Of the request, interaction or job that it came by.'),
});
export type AuditEntry = z.output<typeof auditEntryFields>;

/** Takes the place of a guild's id in entries that belong to no guild. */
export const platformLog = 'platform';

/** The indexes by what they narrow the log to: with several candidates each query names its own. */
export const auditIndexes = {
  all: { guildId: 1, at: -1, _id: -1 },
  action: { guildId: 1, action: 1, at: -1, _id: -1 },
  actor: { 'actor.id': 1, guildId: 1, at: -1, _id: -1 },
  target: { 'target.id': 1, guildId: 1, at: -1, _id: -1 },
} as const;

const schema = schemaOf('audit_log', auditEntryFields);
// GET …/logs and its export, newest first, also ?from= and ?to=; the purge of what is older than the plan keeps.
schema.index(auditIndexes.all);
// GET …/logs?action=
schema.index(auditIndexes.action);
// GET …/logs?actorId=, /logs member:; with the person first, their entries in all guilds when they are erased.
schema.index(auditIndexes.actor);
// GET …/logs?targetId=, /logs member:; likewise.
schema.index(auditIndexes.target);

export const AuditLog = new GuildModel<AuditEntry>('AuditEntry', schema);

/** The order of every log: newest first, and the same again after each insert. */
export const newestFirst = { at: -1, _id: -1 } as const;
