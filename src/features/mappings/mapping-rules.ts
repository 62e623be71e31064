import type { Actor } from '../../core/actors/actor.js';
import { reachBelow, readCeiling } from '../../core/actors/role-reach.js';
import { holds, type TeamRole } from '../../core/actors/team-roles.js';
import type { LinkedGroup } from '../../core/groups/group-model.js';
import { refreshForCheck } from '../../core/groups/linked-groups.js';
import { templateIssues } from '../../core/settings/settings-rules.js';
import { Conflict, Forbidden, InvalidRequest } from '../../lib/errors.js';
import type { GuildFacts } from '../../platforms/discord/guild-facts.js';
import { describeObstacle, roleObstacle } from '../../platforms/discord/role-hierarchy.js';
import { type Condition, type ConditionLeaf, leavesOf } from './condition.js';
import type { MappingDraft } from './mapping-draft.js';
import { roleWarnings } from './mapping-status.js';

/**
 * Refuses ids that are of no role of this server (InvalidRequest), and roles that the bot could not hand out (MAP-13):
 * Conflict `role_unmanageable`, with each and why. `kept`: roles that the mapping names already, which may be gone.
 */
export function requireManageable(facts: GuildFacts, roleIds: readonly string[], kept: readonly string[] = []): void {
  const issues = roleIds.flatMap((roleId, index) =>
    facts.roles.has(roleId) || kept.includes(roleId)
      ? []
      : { path: `roleIds.${index}`, message: 'is not a role of this server' },
  );
  if (issues.length > 0) throw new InvalidRequest(issues);
  const added = roleIds.filter((roleId) => !kept.includes(roleId));
  const blocked = added.flatMap((roleId) => {
    const reason = roleObstacle(facts, roleId);
    return reason === null ? [] : { roleId, reason };
  });
  if (blocked.length === 0) return;
  const words = blocked.map(({ roleId, reason }) => describeObstacle(facts, roleId, reason));
  throw new Conflict('role_unmanageable', [...new Set(words)].join(' '), { blocked });
}

/**
 * Who maps roles, in whichever way: their team role, and the roles that they stand above on Discord, read once however
 * many mappings there are.
 */
export interface Mapper {
  role: TeamRole | null;
  /** The id of their highest role; null for who stands above every role. */
  ceilingRoleId: string | null;
}

/** An actor as the one who maps. Throws ChatPlatformUnavailable. */
export async function mapperOf(actor: Actor, facts: GuildFacts): Promise<Mapper> {
  return { role: actor.role, ceilingRoleId: await readCeiling(actor, facts) };
}

/** Mapping a role with dangerous permissions takes the team role admin (AUTH-39): else Forbidden, naming them. */
export function requireMayHandOut(facts: GuildFacts, { role }: Mapper, roleIds: readonly string[]): void {
  const dangerous = roleWarnings(roleIds, facts);
  if (dangerous.length === 0 || holds(role, 'admin')) return;
  const words = dangerous.map(({ roleId, permissions }) => `${nameOf(facts, roleId)} (${permissions.join(', ')})`);
  throw new Forbidden('forbidden', `Mapping roles with such permissions takes the role admin: ${words.join(', ')}.`);
}

/**
 * Nobody maps a role that is not below their own highest on Discord, through whichever door (AUTH-42), so that a mapping
 * can't hand out what they could not hand out by themselves. Throws Forbidden, naming the roles.
 */
export function requireRolesBelow(facts: GuildFacts, { ceilingRoleId }: Mapper, roleIds: readonly string[]): void {
  const reaches = reachBelow(ceilingRoleId, facts);
  const above = roleIds.filter((roleId) => {
    const role = facts.roles.get(roleId);
    return role !== undefined && !reaches(role);
  });
  if (above.length === 0) return;
  const names = above.map((roleId) => nameOf(facts, roleId)).join(', ');
  throw new Forbidden('forbidden', `You can only map roles below your own highest: ${names}.`);
}

const nameOf = (facts: GuildFacts, roleId: string): string => facts.roles.get(roleId)?.name ?? roleId;

/**
 * Holds conditions against the guild's groups: each group that they name must be attached, each game role must exist,
 * and nobody holds rank 0. Each condition comes with its place in the input. A group whose copy lacks a role is read
 * from Roblox once more, by `readAnew`, before the role is refused. Gives the groups as they are known then. Throws
 * InvalidRequest with every issue (`condition.of.0.groupId`), GamePlatformUnavailable.
 */
export async function requireMeaningful(
  conditions: readonly { at: string; condition: Condition }[],
  attached: readonly LinkedGroup[],
  readAnew = refreshForCheck,
): Promise<readonly LinkedGroup[]> {
  const groups = new Map(attached.map((group) => [group.groupId, group]));
  const leaves = conditions.flatMap(({ at, condition }) =>
    leavesOf(condition).flatMap(({ path, leaf }) =>
      'groupId' in leaf ? [{ at: path === '' ? at : `${at}.${path}`, leaf }] : [],
    ),
  );
  const lacking = new Set(leaves.flatMap(({ leaf }) => groupThatLacks(leaf, groups.get(leaf.groupId)) ?? []));
  for (const group of lacking) groups.set(group.groupId, await readAnew(group));
  const issues = leaves.flatMap(({ at, leaf }) => {
    const fault = faultOf(leaf, groups.get(leaf.groupId));
    return fault === null ? [] : [{ path: `${at}.${fault.field}`, message: fault.message }];
  });
  if (issues.length > 0) throw new InvalidRequest(issues);
  return [...groups.values()];
}

/** Holds the nickname of a mapping to what one in the settings is held to (MAP-18). Throws InvalidRequest. */
export function requireTemplate(nickname: MappingDraft['nickname'], groups: readonly LinkedGroup[]): void {
  const attached = groups.map(({ groupId }) => groupId);
  const issues = nickname === null ? [] : templateIssues(nickname.template, attached, 'nickname.template');
  if (issues.length > 0) throw new InvalidRequest(issues);
}

type GroupLeaf = Extract<ConditionLeaf['leaf'], { groupId: string }>;

function groupThatLacks(leaf: GroupLeaf, group: LinkedGroup | undefined): LinkedGroup | undefined {
  return leaf.type === 'group_role' && group && roleOf(group, leaf.gameRoleId) === undefined ? group : undefined;
}

function faultOf(leaf: GroupLeaf, group: LinkedGroup | undefined): { field: string; message: string } | null {
  if (group === undefined) return { field: 'groupId', message: 'is not a group that is attached to this guild' };
  if (leaf.type === 'group_rank' && leaf.max === 0) return { field: 'max', message: heldByNobody };
  if (leaf.type !== 'group_role') return null;
  const role = roleOf(group, leaf.gameRoleId);
  if (role === undefined) return { field: 'gameRoleId', message: `is not a role of ${group.name}` };
  return role.rank === 0 ? { field: 'gameRoleId', message: heldByNobody } : null;
}

const heldByNobody = 'has rank 0, which nobody holds: use not with group_member for people outside of the group';

const roleOf = (group: LinkedGroup, gameRoleId: string) => group.roles.find((role) => role.gameRoleId === gameRoleId);
