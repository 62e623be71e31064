import { z } from 'zod';
import { GuildModel } from '../../../platforms/database/guild-model.js';
import { objectId, schemaOf } from '../../../platforms/database/schema-of.js';
import { blockedRole } from '../../members/member-sync-fields.js';

/**
 * The kind of write, which decides the rate limit of Discord that it counts against: one role given, one taken, or
 * several changes together (SYNC-13).
 */
export const changeKinds = ['give', 'take', 'edit'] as const;
export type ChangeKind = (typeof changeKinds)[number];

const changeFields = z.strictObject({
  _id: objectId,
  guildId: z.string(),
  jobId: z.string(),
  chatUserId: z.string(),
  chatUsername: z.string(),
  /** The Discord id after which its page began. */
  page: z.string(),
  add: z.array(z.string()),
  remove: z.array(z.string()),
  nickname: z.string().nullable().exactOptional(),
  /** Whether they would be kicked. A sync of their own does that. */
  kicks: z.literal(true).exactOptional(),
  blocked: z.array(blockedRole),
  kind: z.enum(changeKinds),
  /** The member on Discord as the plan saw them. */
  seen: z.strictObject({ roleIds: z.array(z.string()), nickname: z.string().nullable() }),
  /** The linked account in our database at the time of the plan. */
  standing: z.strictObject({ gameUserId: z.string().nullable() }),
  /** The fence of the last sync before the plan's facts were read; null: none was made. */
  fence: z.number().nullable().exactOptional(),
  /** The groups whose missing membership would take something. */
  absentFrom: z.array(z.string()),
  /** The age of the facts that it was planned from. */
  asOf: z.date(),
  state: z.enum(['pending', 'done', 'skipped', 'failed']),
  /** Its place in the order: the time when it was stored or postponed. */
  dueAt: z.date(),
});
export type ResyncChange = z.output<typeof changeFields>;

const schema = schemaOf('resync_changes', changeFields);
/** The index for passes over all changes of a job. */
export const byMember = { jobId: 1, chatUserId: 1 } as const;
// One change a member and job; all of a job, step by step.
schema.index(byMember, { unique: true });
/** The index for the next change of a kind, in the order of planning. */
export const byDue = { jobId: 1, state: 1, kind: 1, dueAt: 1, _id: 1 } as const;
schema.index(byDue);

export const ResyncChanges = new GuildModel<ResyncChange>('ResyncChange', schema);
