import type { HealthFinding } from '../../core/guilds/health-issue.js';
import type { GuildFacts } from '../../platforms/discord/guild-facts.js';
import { describeObstacle, partsOfObstacle, roleObstacle } from '../../platforms/discord/role-hierarchy.js';
import { holdersWords, shownHolders } from '../../platforms/discord/role-holders.js';
import type { Mapping } from '../mappings/mapping-service.js';
import { heldRoleIds } from '../mappings/mapping-status.js';
import { type RoleNames, ranksOf } from '../mappings/whole-group.js';

export const idsOf = (mappings: readonly Mapping[]): string[] => [...new Set(mappings.map(({ _id }) => _id))];

/** Mapped roles' issues, each role once. A missing Manage Roles stops all and is one guild issue. */
export function roleIssues(facts: GuildFacts, mappings: readonly Mapping[]): HealthFinding[] {
  const roleIds = new Set(mappings.flatMap((mapping) => mapping.roleIds));
  const held = new Set(mappings.flatMap((mapping) => heldRoleIds(mapping, facts)));
  return [...roleIds].flatMap((roleId) => {
    const code = roleObstacle(facts, roleId) ?? (held.has(roleId) ? 'became_dangerous' : null);
    if (code === null || code === 'missing_permission') return [];
    const { roleName, botRoleName, permissions } = partsOfObstacle(facts, roleId);
    return {
      code,
      detail: describeObstacle(facts, roleId, code),
      mappingIds: idsOf(mappings.filter((mapping) => mapping.roleIds.includes(roleId))),
      roleId,
      roleName,
      ...(code === 'role_above_bot' && { botRoleName }),
      ...(code === 'became_dangerous' && { permissions }),
    };
  });
}

/** Ranks in groups that are mapped as a whole, with names that fit no single role. */
export function rankIssues(mappings: readonly Mapping[], names: RoleNames): HealthFinding[] {
  return mappings.flatMap((mapping) =>
    ranksOf(mapping, names).flatMap(({ rank, roleIds: [roleId = ''], problem }) => {
      if (problem === null || problem === 'no_role') return [];
      const detail =
        problem === 'several_roles'
          ? `Several roles are named ${rank.name}, like a rank of a Roblox group that is mapped as a whole. Rename all but one.`
          : `The role ${rank.name} isn't below the highest role of the person who mapped the whole group. Someone above it can save the mapping again.`;
      return {
        code: problem,
        detail,
        mappingIds: [mapping._id],
        roleId,
        roleName: rank.name,
        gameRoleId: rank.gameRoleId,
      };
    }),
  );
}

/** Codes for roles neither given nor taken: their present holders keep them. */
const keptCodes: readonly HealthFinding['code'][] = ['role_above_bot', 'role_managed', 'became_dangerous'];

/** The findings with how many people keep such a role. Asks Discord only if there is one (MAP-54). */
export async function withHolders(guildId: string, findings: readonly HealthFinding[]): Promise<HealthFinding[]> {
  if (!findings.some(({ code }) => keptCodes.includes(code))) return [...findings];
  const holdersOf = await shownHolders(guildId);
  return findings.map((finding) => {
    const { code, roleId, roleName = '', detail } = finding;
    if (roleId === undefined || !keptCodes.includes(code)) return finding;
    const holders = holdersOf(roleId);
    return { ...finding, holders, detail: `${detail} ${holdersWords(roleName, holders)}` };
  });
}
