import { z } from 'zod';
import { restrictionRule } from '../../core/settings/restrictions.js';
import { timestamp } from '../../lib/fields.js';
import { gameId } from '../../lib/ids.js';
import { blockReason } from '../../platforms/discord/role-hierarchy.js';
import { gameRole } from '../../platforms/roblox/game-groups.js';
import { importSource } from '../accounts/account-model.js';
import { highestRoleOnly } from '../mappings/condition.js';
import type { GameTraits } from '../mappings/game-traits.js';
import { mappingFields } from '../mappings/mapping-model.js';
import { pauseReason } from '../mappings/mappings-in-force.js';
import { reportedFactView, viewFacts } from '../members/member-facts.js';
import { refusedNickname } from '../members/member-sync-fields.js';
import { memberStatus, statusOf } from '../members/member-view.js';
import { refusedNicknameOf, type SyncPlan } from '../sync/plan/plan.js';
import type { MappingReason, MemberWhy } from './member-why.js';
import { nextRanks } from './next-rank.js';

/** When the data from Discord was read, for a member's page. */
export const discordAsOf = timestamp
  .nullable()
  .describe('The time for which the data from Discord hold: now, unless its limits are used up. Null: no answer.');

/** Present while a member's removals wait for an admin (SYNC-11). */
export const removalsWaitView = z
  .strictObject({ resyncId: z.string().nullable() })
  .describe('They lose nothing until an admin confirms this resync; null: none asks about it now.');

/** Why a member has their roles (API-66), mapping by mapping, with the data known about them. */
export const whyView = z.strictObject({
  memberId: z.string(),
  status: memberStatus,
  gameUserId: gameId.nullable(),
  linkedAt: timestamp.nullable(),
  importedFrom: importSource
    .nullable()
    .describe('Where this server has imported the account from; null: the person proved it.'),
  doubt: z
    .enum(['account', 'game_platform_unavailable'])
    .nullable()
    .describe('The reason for unknown groups: new facts about the account on Roblox, or no answer.'),
  asOf: discordAsOf,
  ranksReadAt: timestamp.nullable().describe('When the roles in the groups were read on Roblox.'),
  keeps: z
    .strictObject({ roles: z.boolean(), nickname: z.boolean() })
    .describe('The things that an exempt role (setting `bypass`) or an admin lets them keep.'),
  leftOutSince: timestamp
    .nullable()
    .describe('Since when an admin leaves them out of every change; null: they take part.'),
  restriction: z
    .enum([...restrictionRule.options, 'unknown'])
    .nullable()
    .describe('The restriction that keeps them from every role (setting `restrictions`).'),
  restrictionSpares: z
    .boolean()
    .describe('They are above the author of the restrictions, so their roles stay until the owner confirms.'),
  account: z
    .strictObject({
      premium: z.boolean().nullable(),
      ageDays: z.int().nullable().describe('Whole days since Roblox made it.'),
      inventoryPrivate: z.boolean().describe('The inventory on Roblox is private.'),
    })
    .nullable()
    .describe('Facts about the linked account that a mapping needs, without its groups; null: not known.'),
  groups: z
    .array(z.strictObject({ groupId: gameId, name: z.string().nullable(), roles: z.array(gameRole).nullable() }))
    .describe('The roles held in each group that a mapping or the nickname names; null: not known.'),
  highestRoleOnly: highestRoleOnly.exactOptional(),
  facts: z
    .array(reportedFactView)
    .describe("Facts about the account that the server's own game has reported, for conditions `fact`."),
  next: z
    .array(
      z.strictObject({
        groupId: gameId,
        groupName: z.string(),
        rank: z.int(),
        name: z.string().nullable(),
        roleIds: z.array(z.string()),
      }),
    )
    .describe('In each of their groups, the lowest rank above theirs that gives further roles.'),
  nicknameRefused: refusedNickname.exactOptional(),
  waitsForRules: z
    .literal(true)
    .exactOptional()
    .describe('They get roles once they have accepted the rules of the server.'),
  removalsWait: removalsWaitView.exactOptional(),
  mappings: z.array(
    z.strictObject({
      mappingId: z.string(),
      ...mappingFields.pick({ name: true, condition: true }).shape,
      verdict: z.enum(['matched', 'unmatched', 'undecided']),
      paused: pauseReason.nullable(),
      parts: z
        .array(z.strictObject({ path: z.string(), met: z.boolean().nullable() }))
        .describe('The parts of the condition that are not made of others; null: not known.'),
      roles: z.array(
        z.strictObject({
          roleId: z.string(),
          held: z.boolean(),
          change: z.enum(['add', 'remove']).nullable().describe('The changes that the next sync makes.'),
          blocked: blockReason.nullable().describe('Why the bot can not make the change that is due.'),
          detail: z.string().exactOptional().describe("refused_by_discord: Discord's reason."),
        }),
      ),
    }),
  ),
});

/** The reasons as the API answers them. */
export function viewMemberWhy(memberId: string, why: MemberWhy): z.input<typeof whyView> {
  const { memberState, asOf, ranksReadAt, reasons } = why;
  const { stored, game, doubt = null } = memberState;
  const nicknameRefused = refusedNicknameOf(why.plan);
  return {
    memberId,
    status: stored === null ? 'joined' : statusOf(stored),
    gameUserId: game?.gameUserId ?? null,
    ...{ linkedAt: stored?.linkedAt?.toISOString() ?? null, importedFrom: why.importedFrom },
    doubt,
    asOf: asOf.toISOString(),
    ranksReadAt: ranksReadAt?.toISOString() ?? null,
    keeps: why.keeps,
    leftOutSince: stored?.leftOut?.toISOString() ?? null,
    restriction: why.restriction,
    restrictionSpares: why.plan.sparedFrom !== undefined,
    account: game === null ? null : viewAccount(memberState.traits),
    groups: memberState.groupIds.map((groupId) => ({ groupId, ...heldIn(groupId, why) })),
    ...(showsHighestOnly(why) && { highestRoleOnly: true as const }),
    facts: stored === null ? [] : viewFacts(stored),
    next: nextRanks(why),
    ...(nicknameRefused !== undefined && { nicknameRefused }),
    ...(why.plan.waitsForRules && { waitsForRules: true as const }),
    ...(why.removalsWait && { removalsWait: why.removalsWait }),
    mappings: reasons.map(({ mapping, roleIds, verdict, parts, paused }) => ({
      mappingId: mapping._id,
      name: mapping.name,
      condition: mapping.condition,
      ...{ verdict, paused, parts },
      roles: rolesOf({ roleIds }, why).map(({ reason, ...role }) => ({ ...role, blocked: reason })),
    })),
  };
}

/** Whether they may have a hidden lower role (RANK-27). */
export const showsHighestOnly = ({ memberState: { highestOnly, game, groupIds } }: MemberWhy): boolean =>
  highestOnly !== undefined && game !== null && groupIds.length > 0;

const viewAccount = ({ premium, ageDays, isPrivate }: GameTraits) => ({
  premium,
  ageDays,
  inventoryPrivate: isPrivate,
});

/** The member's roles in a group, and the group's name; null if unknown. */
export function heldIn(groupId: string, { memberState, snapshot }: MemberWhy) {
  const name = snapshot.groups.find((group) => group.groupId === groupId)?.name ?? null;
  const roles = memberState.missing.has(groupId) ? null : [...(memberState.ranks.get(groupId) ?? [])];
  return { name, roles };
}

/** The next sync's action for each role in a mapping, and any reason that prevents it. */
export function rolesOf({ roleIds }: Pick<MappingReason, 'roleIds'>, { rolesHeld, plan }: MemberWhy) {
  return roleIds.map((roleId) => {
    const { reason = null, detail } = plan.blocked.find((blocked) => blocked.roleId === roleId) ?? {};
    const change = { roleId, held: rolesHeld.includes(roleId), change: changeOf(roleId, plan), reason };
    return { ...change, ...(detail !== undefined && { detail }) };
  });
}

function changeOf(roleId: string, { add, remove }: SyncPlan): 'add' | 'remove' | null {
  if (add.includes(roleId)) return 'add';
  return remove.includes(roleId) ? 'remove' : null;
}
