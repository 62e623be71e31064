import { isDeepStrictEqual } from 'node:util';
import { type Barrier, barriersTo, type RuleAuthor } from '../../core/actors/reach.js';
import type { LinkedGroup } from '../../core/groups/group-model.js';
import { templateIssues } from '../../core/settings/settings-rules.js';
import { type AppError, Conflict, Forbidden, InvalidRequest } from '../../lib/errors.js';
import type { GuildFacts } from '../../platforms/discord/guild-facts.js';
import { describeObstacle, type RoleObstacle, roleObstacle } from '../../platforms/discord/role-hierarchy.js';
import { type ConditionLeaf, leavesOf } from './condition.js';
import type { MappingDraft } from './mapping-draft.js';
import type { Mapping } from './mapping-model.js';
import { heldRoleIds, type RoleWarning, roleWarnings } from './mapping-status.js';
import type { MappingsSnapshot } from './mappings-snapshot.js';
import { expanded, mapsWholeGroup, type RoleNames } from './whole-group.js';

interface Issue {
  path: string;
  message: string;
}

/** A reason against a draft. Kinds are distinguished, so that a caller can skip the ones it doesn't check. */
export type Refusal =
  /** Roles with dangerous permissions, which only an admin maps (AUTH-39). */
  | { kind: 'dangerous'; warnings: RoleWarning[] }
  /** Roles that are not below the mapper's own highest on Discord, through any door (AUTH-42). */
  | { kind: 'above'; roleIds: string[] }
  /** Ids that belong to no role in this server. */
  | { kind: 'unknown'; issues: Issue[] }
  /** Roles that the bot can't give (MAP-13). */
  | { kind: 'unmanageable'; blocked: { roleId: string; reason: RoleObstacle }[] }
  /** A nickname that the settings would refuse too (MAP-18). */
  | { kind: 'template'; issues: Issue[] }
  /** Groups that are not attached, and missing game roles. `outdated`: groups that may have them once read again. */
  | { kind: 'condition'; issues: Issue[]; outdated: LinkedGroup[] };

/** The facts that drafts are checked against. */
export type Snapshot = Pick<MappingsSnapshot, 'facts' | 'groups'>;

/**
 * All reasons against a draft, or against changing `before` to it, in the order they are reported. Permissions are
 * checked for every role in the draft, existence only for added ones. The plan's limit is checked elsewhere. Pure.
 */
export function judgeDraft(snapshot: Snapshot, mapper: RuleAuthor, draft: MappingDraft, before?: Mapping): Refusal[] {
  const { facts, groups } = snapshot;
  const { condition, nickname } = draft;
  const isWhole = mapsWholeGroup([draft]);
  const roleIds = isWhole ? rolesAlreadyGiven(snapshot, before) : draft.roleIds;
  return [
    ...judgeReach(facts, mapper, roleIds),
    ...(isWhole ? [] : judgeRoles(facts, roleIds, before?.roleIds ?? [])),
    ...(isDeepStrictEqual(nickname, before?.nickname ?? null) ? [] : judgeNickname(nickname, groups)),
    ...(isDeepStrictEqual(condition, before?.condition) ? [] : judgeCondition(draft, groups)),
  ];
}

/** All reasons against this mapper giving roles to others. Pure. */
export function judgeReach(facts: GuildFacts, mapper: RuleAuthor, roleIds: readonly string[]): Refusal[] {
  const barriers = roleIds.flatMap((roleId) => {
    const role = facts.roles.get(roleId);
    return role === undefined ? [] : barriersTo(mapper, { by: 'rule', role }, facts).map((why) => ({ roleId, why }));
  });
  const those = (kind: Barrier) => barriers.flatMap(({ roleId, why }) => (why === kind ? roleId : []));
  const warnings = roleWarnings(those('dangerous'), facts);
  const above = those('above');
  return [
    ...(warnings.length > 0 ? [{ kind: 'dangerous' as const, warnings }] : []),
    ...(above.length > 0 ? [{ kind: 'above' as const, roleIds: above }] : []),
  ];
}

/**
 * The roles that a whole-group mapping gives already. A new one holds back roles that its author may not give, so only
 * a change answers for its roles.
 */
function rolesAlreadyGiven(names: RoleNames, before: Mapping | undefined): string[] {
  if (before === undefined || !mapsWholeGroup([before])) return [];
  return expanded([before], names).flatMap((each) => {
    const held = heldRoleIds(each, names.facts);
    return each.roleIds.filter((roleId) => !held.includes(roleId));
  });
}

/** `kept`: roles that the mapping names already. They may be deleted. */
function judgeRoles(facts: GuildFacts, roleIds: readonly string[], kept: readonly string[]): Refusal[] {
  const issues = roleIds.flatMap((roleId, index) =>
    facts.roles.has(roleId) || kept.includes(roleId)
      ? []
      : { path: `roleIds.${index}`, message: 'is not a role of this server' },
  );
  if (issues.length > 0) return [{ kind: 'unknown', issues }];
  const blocked = roleIds.flatMap((roleId) => {
    const reason = kept.includes(roleId) ? null : roleObstacle(facts, roleId);
    return reason === null ? [] : { roleId, reason };
  });
  return blocked.length > 0 ? [{ kind: 'unmanageable', blocked }] : [];
}

function judgeNickname(nickname: MappingDraft['nickname'], groups: readonly LinkedGroup[]): Refusal[] {
  const attached = groups.map(({ groupId }) => groupId);
  const issues = nickname === null ? [] : templateIssues(nickname.template, attached, 'nickname.template');
  return issues.length > 0 ? [{ kind: 'template', issues }] : [];
}

/** Checks that each named group is attached, each game role exists, and nothing asks for rank 0. */
function judgeCondition({ condition }: MappingDraft, groups: readonly LinkedGroup[]): Refusal[] {
  const known = new Map(groups.map((group) => [group.groupId, group]));
  const leaves = leavesOf(condition).flatMap(({ path, leaf }) =>
    'groupId' in leaf ? [{ at: path === '' ? 'condition' : `condition.${path}`, leaf }] : [],
  );
  const issues = leaves.flatMap(({ at, leaf }) => {
    const fault = faultOf(leaf, known.get(leaf.groupId));
    return fault === null ? [] : [{ path: `${at}.${fault.field}`, message: fault.message }];
  });
  const outdated = new Set(leaves.flatMap(({ leaf }) => groupThatLacks(leaf, known.get(leaf.groupId)) ?? []));
  return issues.length > 0 ? [{ kind: 'condition', issues, outdated: [...outdated] }] : [];
}

/** A refusal's error: Forbidden and Conflict name the roles, InvalidRequest each place in the draft. */
function errorOf(refusal: Refusal, facts: GuildFacts): AppError {
  const nameOf = (roleId: string): string => facts.roles.get(roleId)?.name ?? roleId;
  switch (refusal.kind) {
    case 'dangerous': {
      const words = refusal.warnings.map(({ roleId, permissions }) => `${nameOf(roleId)} (${permissions.join(', ')})`);
      const rule = 'Mapping roles with such permissions takes the role admin';
      return new Forbidden('forbidden', `${rule}: ${words.join(', ')}.`);
    }
    case 'above': {
      const names = refusal.roleIds.map(nameOf).join(', ');
      return new Forbidden('forbidden', `You can only map roles below your own highest role: ${names}.`);
    }
    case 'unmanageable': {
      const { blocked } = refusal;
      const words = blocked.map(({ roleId, reason }) => describeObstacle(facts, roleId, reason));
      return new Conflict('role_unmanageable', [...new Set(words)].join(' '), { blocked });
    }
    default:
      return new InvalidRequest(refusal.issues);
  }
}

/** The roles among these that are not below the bot's highest one. Pure. */
export const rolesAboveBot = (facts: GuildFacts, roleIds: readonly string[]): string[] =>
  [...new Set(roleIds)].filter((roleId) => roleObstacle(facts, roleId) === 'role_above_bot');

/** Throws the first refusal. */
export function throwFirst([first]: readonly Refusal[], facts: GuildFacts): void {
  if (first !== undefined) throw errorOf(first, facts);
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
