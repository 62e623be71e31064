import { z } from 'zod';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { type HeldAccount, storedActor } from '../actors/actor.js';
import { auditAction } from './audit-actions.js';

export const changedFields = z.record(
  z.string(),
  z.strictObject({
    from: z.unknown().describe('The value before.'),
    to: z.unknown().describe('The value from then on.'),
  }),
);
export type Changes = Readonly<z.output<typeof changedFields>>;

/** One change by an actor, through any edge (LOG-1). */
export const auditEntryFields = z.strictObject({
  /** `log_` + 24 hex digits. */
  _id: z.string().describe("The entry's id."),
  /** The change's guild; `platform` for a change outside guilds. */
  guildId: z.string(),
  at: z.date(),
  actor: storedActor,
  action: auditAction,
  target: z
    .strictObject({
      kind: z.string().describe('What kind of thing it is.'),
      id: z.string().describe("The thing's id."),
      name: z.string().exactOptional().describe("The thing's name at that time."),
    })
    .describe('The thing that it happened to.'),
  changes: changedFields.exactOptional(),
  requestId: z.string().exactOptional().describe('Of the request, interaction or job that it came by.'),
});
export type AuditEntry = z.output<typeof auditEntryFields>;

/** Replaces the guild id in entries outside guilds. */
export const platformLog = 'platform';

/** The indexes, by the filter they serve. Each query names its own, since several would match. */
export const auditIndexes = {
  all: { guildId: 1, at: -1, _id: -1 },
  action: { guildId: 1, action: 1, at: -1, _id: -1 },
  actor: { 'actor.id': 1, guildId: 1, at: -1, _id: -1 },
  target: { 'target.id': 1, guildId: 1, at: -1, _id: -1 },
} as const;

const schema = schemaOf('audit_log', auditEntryFields);
// GET …/logs and its export, newest first, also ?from= and ?to=; the purge when entries are older than the plan allows.
schema.index(auditIndexes.all);
// GET …/logs?action=
schema.index(auditIndexes.action);
// GET …/logs?actorId=, /logs member:. The person comes first, to find their entries in all guilds on erasure.
schema.index(auditIndexes.actor);
// GET …/logs?targetId=, /logs member:; the person comes first here too.
schema.index(auditIndexes.target);

export const AuditLog = new GuildModel<AuditEntry>('AuditEntry', schema);

/** Entries about a Roblox account without a member in the guild. */
export const aboutAccount = ({ gameUserId, guildId }: HeldAccount) => ({
  'target.id': gameUserId,
  'target.kind': 'game_user',
  ...(guildId !== undefined && { guildId }),
});

/** Every log's order: newest first, and stable across inserts. */
export const newestFirst = { at: -1, _id: -1 } as const;
