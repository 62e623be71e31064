import { z } from 'zod';
import { guildSettings } from '../../core/settings/guild-settings.js';
import type { GuildFacts } from '../../platforms/discord/guild-facts.js';
import { otherBots } from '../../platforms/discord/other-bots.js';
import { dangerousPermissions, mayManageNicknames, mayManageRoles } from '../../platforms/discord/permissions.js';
import { obstacleOfRole, roleObstacle } from '../../platforms/discord/role-hierarchy.js';
import type { HoldersOf } from '../../platforms/discord/role-holders.js';
import type { RoleCount } from '../../platforms/roblox/group-role-counts.js';
import { hasOpenCloud } from '../../platforms/roblox/open-cloud.js';
import { highestRoleOnly } from '../mappings/condition.js';
import { rankProblems } from '../mappings/whole-group.js';
import { panelLook } from './panel-look.js';
import { missingCount, missingKey, rolesAboveBot } from './setup-roles.js';
import type { GroupBeside, RankBeside, Setup } from './setup-service.js';

const count = z.int().nonnegative();
const { nickname, verification } = guildSettings.shape;

const rankView = z
  .strictObject({
    gameRoleId: z.string(),
    name: z.string(),
    rank: z.int(),
    members: count.nullable().describe('Members of this rank on Roblox; null: not known.'),
    roleIds: z.array(z.string()).describe('The Discord role of its name, those of its name, or the chosen one.'),
    holders: count.nullable().describe('Everyone on Discord with the one role; null: not known, or not one role.'),
    isChosen: z.boolean().describe('The role was chosen, since none was found by the name.'),
    problem: z.enum(rankProblems).nullable(),
    obstacle: obstacleOfRole.nullable().describe("Why the bot can't give the role."),
    dangerous: z.array(z.string()).describe("The dangerous permissions of the role, by Discord's names."),
  })
  .meta({ id: 'SetupRank' });

/** A guild's setup in answers: its choices, and their obstacles (DASH-41). */
export const setupView = z
  .strictObject({
    choices: z.strictObject({
      verifiedRoleId: z.string().nullable(),
      nickname,
      methods: verification.shape.methods,
      channelId: z.string().nullable(),
      panel: panelLook,
    }),
    group: z
      .strictObject({ groupId: z.string(), name: z.string(), memberCount: count, ranks: z.array(rankView) })
      .nullable()
      .describe('The Roblox group with its ranks, lowest first; null: none.'),
    highestRoleOnly: highestRoleOnly.exactOptional(),
    missing: z
      .strictObject({ count, key: z.string().describe('For POST …/setup/roles.') })
      .describe('The roles that the server lacks for this.'),
    place: z
      .strictObject({
        mayManageRoles: z.boolean(),
        mayManageNicknames: z.boolean(),
        rolesAbove: z.array(z.string()).describe("The roles above the bot's own, which it can't give, highest first."),
      })
      .describe("The bot's permissions on Discord."),
    otherBots: z.array(z.string()).describe('The roles of other bots that may hand out roles.'),
  })
  .meta({ id: 'Setup' });

/** The facts that a setup is shown with. `counts`: the members in the group's ranks; null where Roblox doesn't say. */
interface SetupSnapshot {
  holdersOf: HoldersOf;
  facts: GuildFacts;
  beside: GroupBeside | null;
  counts: readonly RoleCount[] | null;
}

export function viewSetup(
  setup: Setup,
  { facts, beside, counts, holdersOf }: SetupSnapshot,
): z.input<typeof setupView> {
  const { verifiedRoleId, nickname: names, methods, channelId, panel } = setup;
  const members = new Map(counts?.map(({ gameRoleId, members: some }) => [gameRoleId, some]));
  return {
    choices: { verifiedRoleId, nickname: names, methods, channelId, panel },
    group: beside && {
      ...{ groupId: beside.group.groupId, name: beside.group.name, memberCount: beside.group.memberCount },
      ranks: beside.ranks.map((each) =>
        viewRank(each, facts, { members: members.get(each.rank.gameRoleId) ?? null, holdersOf }),
      ),
    },
    ...(!hasOpenCloud() && { highestRoleOnly: true as const }),
    missing: { count: missingCount(setup, beside), key: missingKey(setup, beside) },
    place: {
      mayManageRoles: mayManageRoles(facts.bot.permissions),
      mayManageNicknames: mayManageNicknames(facts.bot.permissions),
      rolesAbove: rolesAboveBot(facts),
    },
    otherBots: otherBots(facts),
  };
}

function viewRank(
  beside: RankBeside,
  facts: GuildFacts,
  { members, holdersOf }: { members: number | null; holdersOf: HoldersOf },
): z.input<typeof rankView> {
  const { rank, roleIds, problem, isChosen } = beside;
  const roleId = problem === null ? roleIds[0] : undefined;
  const permissions = roleId === undefined ? undefined : facts.roles.get(roleId)?.permissions;
  return {
    ...rank,
    ...{ members, roleIds, isChosen, problem },
    holders: roleId === undefined ? null : holdersOf(roleId),
    obstacle: roleId === undefined ? null : roleObstacle(facts, roleId),
    dangerous: dangerousPermissions(permissions ?? 0n),
  };
}
