import { z } from 'zod';
import { restrictionRule } from '../../../core/settings/restrictions.js';
import { GuildModel } from '../../../platforms/database/guild-model.js';
import { objectId, schemaOf } from '../../../platforms/database/schema-of.js';
import { nicknameObstacle } from '../../../platforms/discord/role-hierarchy.js';
import { blockedRole } from '../../members/member-sync-fields.js';
import { seenFields } from './seen-member.js';

/**
 * The write kind, which decides the Discord rate limit that it counts against: one role given, one taken, or several
 * changes together (SYNC-13).
 */
export const changeKinds = ['give', 'take', 'edit'] as const;
export type ChangeKind = (typeof changeKinds)[number];

const roleIds = z.array(z.string());

/**
 * The reason for a difference in a guild in observe mode. `meets_rule` and `misses_rule`: for a mapping with the role;
 * `not_verified`: no account is linked.
 */
export const differenceReason = z.enum([
  'meets_rule',
  'misses_rule',
  'not_verified',
  'account_gone',
  'restricted',
  'nickname',
]);
export type DifferenceReason = z.output<typeof differenceReason>;

/** A difference's further fields in a guild in observe mode. */
export const observedFields = z.strictObject({
  /** One reason per role, and one for the nickname or the kick. */
  reasons: z.array(
    z.strictObject({
      roleId: z.string().exactOptional(),
      code: differenceReason,
      /** The group that decides, and the role in it; null outside the group. */
      groupId: z.string().exactOptional(),
      gameRole: z.string().nullable().exactOptional(),
    }),
  ),
  /** The roles and reasons, for list filters. */
  about: z.array(z.string()),
  /** The time since when the difference is exactly this. */
  since: z.date(),
});

export type Observed = z.output<typeof observedFields>;

/** `kick`: the restriction that they would be kicked for. Their own sync does that. */
export const expectedFields = z.strictObject({
  add: roleIds,
  remove: roleIds,
  nickname: z.string().nullable().exactOptional(),
  kick: restrictionRule.exactOptional(),
});

/** One member's change in a stored plan: expected first, and made later. */
const changeFields = z.strictObject({
  _id: objectId,
  guildId: z.string(),
  planId: z.string(),
  /** The number of the plan's part that found it. It counts once the plan has more parts. */
  part: z.int(),
  chatUserId: z.string(),
  chatUsername: z.string(),
  expected: expectedFields,
  observed: observedFields.exactOptional(),
  /** The parts in `expected` that are made, by this plan or by a single sync before it. */
  made: z
    .strictObject({ add: roleIds, remove: roleIds, nickname: z.string().nullable().exactOptional() })
    .exactOptional(),
  /** Whether the nickname before the change is Rolelink's. */
  formerIsOurs: z.literal(true).exactOptional(),
  blocked: z.array(blockedRole),
  nicknameBlocked: nicknameObstacle.exactOptional(),
  kind: z.enum(changeKinds),
  /** The member on Discord as the plan saw them. */
  seen: seenFields,
  /** The linked account in our database when planned. */
  standing: z.strictObject({ gameUserId: z.string().nullable() }),
  /** The last recorded sync's fence before the plan's facts were read; null: none was made. */
  fence: z.number().nullable().exactOptional(),
  /** The groups whose missing membership would take something. */
  absentFrom: z.array(z.string()),
  /** How old the facts were that it was planned from. */
  asOf: z.date(),
  state: z.enum(['pending', 'done', 'skipped', 'failed']),
  /** Its place in the order: the time when it was stored or postponed. */
  dueAt: z.date(),
});
export type PlannedChange = z.output<typeof changeFields>;

const schema = schemaOf('planned_changes', changeFields);
/** The index for passes over all changes of a plan. */
export const byMember = { planId: 1, chatUserId: 1 } as const;
// One change a member and plan; a whole plan, step by step.
schema.index(byMember, { unique: true });
/** The index for a kind's next change, in planning order. */
export const byDue = { planId: 1, state: 1, kind: 1, dueAt: 1, _id: 1 } as const;
schema.index(byDue);
/** The index for GET …/differences, the newest first, by role and reason too. */
export const byNewest = { planId: 1, 'observed.about': 1, 'observed.since': -1, _id: -1 } as const;
schema.index(byNewest, { partialFilterExpression: { 'observed.since': { $exists: true } } });
// The erasure of a person.
schema.index({ chatUserId: 1 });

export const PlannedChanges = new GuildModel<PlannedChange>('PlannedChange', schema);
