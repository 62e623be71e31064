import type { LinkedGroup } from '../../core/groups/group-model.js';
import { copyOf, refreshForCheck } from '../../core/groups/linked-groups.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { plans } from '../../core/plans/plans.js';
import { clock } from '../../lib/clock.js';
import { PlanLimitReached } from '../../lib/errors.js';
import { checkGroups } from '../../platforms/roblox/group-checks.js';
import { groupIdsOf, leavesOf } from '../mappings/condition.js';
import type { Proposal, ProposedCondition } from './import-proposal.js';

/** Maximum unknown groups per import. Beyond it no more are looked up, and lines that name others are refused. */
const mostUnknown = 10;

/** The unattached groups that proposals name: those that Roblox knows, and those that were not looked up. */
export async function readNewGroups(
  guildId: string,
  proposals: readonly Proposal[],
  attached: readonly LinkedGroup[],
): Promise<{ newGroups: LinkedGroup[]; unread: Set<string> }> {
  const there = new Set(attached.map(({ groupId }) => groupId));
  const named = proposals.flatMap(({ condition }) =>
    'groupId' in condition ? condition.groupId : groupIdsOf(condition),
  );
  const missing = [...new Set(named)].filter((groupId) => !there.has(groupId));
  const { known, unknown } = await checkGroups(guildId, missing, mostUnknown);
  const read = new Set([...unknown, ...known.map(({ groupId }) => groupId)]);
  const newGroups = known.map((game) => ({ guildId, groupId: game.groupId, ...copyOf(game), addedAt: clock.now() }));
  return { newGroups, unread: new Set(missing.filter((groupId) => !read.has(groupId))) };
}

/** Only existing groups count that a new mapping names. */
export function requireRoomForGroups({ plan }: Guild, attached: number, needed: number): void {
  const limit = plans[plan].groups;
  if (needed === 0 || attached + needed <= limit) return;
  const words = `The plan ${plan} allows ${limit} groups: ${attached} are attached, and ${needed} more are named.`;
  throw new PlanLimitReached(words, { resource: 'groups', limit, plan });
}

interface NamedRole {
  id?: string;
  name?: string;
}

/** Reads a group again, once, if an import names a role that our copy lacks. */
export async function withNamedRoles(group: LinkedGroup, named: readonly NamedRole[]): Promise<LinkedGroup> {
  const isKnown = (wanted: NamedRole): boolean =>
    group.roles.some(({ gameRoleId, name }) => gameRoleId === wanted.id || name === wanted.name);
  return named.every(isKnown) ? group : refreshForCheck(group);
}

/** The proposals' named roles, by group: one pass for any group count. */
export function namedRolesOf(proposals: readonly Proposal[]): Map<string, NamedRole[]> {
  const named = new Map<string, NamedRole[]>();
  for (const { groupId, role } of proposals.flatMap(({ condition }) => gameRolesIn(condition))) {
    const roles = named.get(groupId);
    if (roles === undefined) named.set(groupId, [role]);
    else roles.push(role);
  }
  return named;
}

function gameRolesIn(condition: ProposedCondition): { groupId: string; role: NamedRole }[] {
  if (condition.type === 'named_game_role') return [{ groupId: condition.groupId, role: { name: condition.name } }];
  return leavesOf(condition).flatMap(({ leaf }) =>
    leaf.type === 'group_role' ? { groupId: leaf.groupId, role: { id: leaf.gameRoleId } } : [],
  );
}
