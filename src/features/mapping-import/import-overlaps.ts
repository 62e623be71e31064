import type { LinkedGroup } from '../../core/groups/group-model.js';
import { t } from '../../lib/translate.js';
import type { Condition } from '../mappings/condition.js';
import type { MappingDraft } from '../mappings/mapping-draft.js';
import { expanded, mapsWholeGroup, type RoleNames, type WithRoles } from '../mappings/whole-group.js';
import type { LineRemark, Removal } from './import-proposal.js';
import type { ImportedDraft } from './import-resolving.js';

// Two rules of one group may give the same role. Bloxlink's linked groups repeat single binds, and its roles to remove
// are often the roles of other ranks, which lose them here by their own mapping.

type Rule = WithRoles & Pick<MappingDraft, 'removeWhenUnmatched' | 'enabled'>;
type Groups = readonly LinkedGroup[];

interface WholeNames extends RoleNames {
  groups: Groups;
}

/** New mappings whose roles a mapping of the whole group gives to the same ranks already, one remark each. Pure. */
export function doublesAmong(
  fresh: readonly ImportedDraft[],
  others: readonly Rule[],
  names: WholeNames,
): LineRemark[] {
  const given = givenByRole(
    others.filter((rule) => mapsWholeGroup([rule])),
    names,
  );
  return fresh.flatMap(({ line, draft }) => {
    const wanted = peopleOf(draft.condition, names.groups) ?? [];
    const isGiven = (roleId: string): boolean => wanted.every((one) => given.get(roleId)?.people.has(one));
    if (mapsWholeGroup([draft]) || wanted.length === 0 || draft.roleIds.length === 0) return [];
    if (!draft.roleIds.every(isGiven)) return [];
    const roles = draft.roleIds.map((roleId) => names.facts.roles.get(roleId)?.name ?? roleId).join(', ');
    return [{ line, code: 'given_twice' as const, message: t('import_line.given_twice', { roles }) }];
  });
}

/**
 * Returns whether the rules themselves take roles from a bind's people: they give them, to none of these people, and
 * remove them from everybody else. The rules are looked at once, for any number of binds. Pure.
 */
export function takenByRules(
  rules: readonly Rule[],
  names: WholeNames,
): (bind: { roleIds: readonly string[]; condition: Condition }) => boolean {
  const given = givenByRole(rules, names);
  return ({ roleIds, condition }) => {
    const people = peopleOf(condition, names.groups);
    if (people === null) return roleIds.length === 0;
    return roleIds.every((roleId) => {
      const one = given.get(roleId);
      const isSame = one?.isTaken === true && one.groups.size === 1 && one.groups.has(groupOf(people));
      return isSame && !people.some((each) => one.people.has(each));
    });
  };
}

/** The people that get a role by rules. */
interface Given {
  people: Set<string>;
  groups: Set<string>;
  /** Whether each of these rules is on, names ranks alone, and takes the role from everybody else. */
  isTaken: boolean;
}

function givenByRole(rules: readonly Rule[], names: WholeNames): Map<string, Given> {
  const given = new Map<string, Given>();
  for (const { condition, roleIds, enabled, removeWhenUnmatched } of expanded(distinct(rules), names)) {
    const people = peopleOf(condition, names.groups);
    for (const roleId of roleIds) {
      const one = given.get(roleId) ?? { people: new Set(), groups: new Set(), isTaken: true };
      given.set(roleId, one);
      for (const each of people ?? []) one.people.add(each);
      one.groups.add(groupOf(people ?? []));
      one.isTaken &&= people !== null && enabled && removeWhenUnmatched;
    }
  }
  return given;
}

/** The rules without repetitions: a text may have one thousands of times. */
function distinct(rules: readonly Rule[]): Rule[] {
  const byKey = new Map<string, Rule>();
  for (const rule of rules) {
    const { condition, roleIds, enabled, removeWhenUnmatched, ceilingRoleId, pairs } = rule;
    byKey.set(JSON.stringify([condition, roleIds, enabled, removeWhenUnmatched, ceilingRoleId, pairs]), rule);
  }
  return [...byKey.values()];
}

/** The group of people with ranks in one; empty for nobody. */
const groupOf = ([first = '']: readonly string[]): string => first.split(':')[0] ?? '';

/** The ranks of one group that a condition names, each as `group:rank`; 0 for people outside it. Null: no such condition. */
function peopleOf(condition: Condition, groups: Groups): string[] | null {
  if (condition.type === 'not') {
    const { of } = condition;
    return of.type === 'group_member' ? [`${of.groupId}:0`] : null;
  }
  if (condition.type === 'any') {
    const parts = condition.of.map((part) => peopleOf(part, groups));
    const all = parts.flatMap((part) => part ?? []);
    return parts.includes(null) || !all.every((one) => groupOf([one]) === groupOf(all)) ? null : all;
  }
  if (!('groupId' in condition) || condition.type === 'group_roles') return null;
  const { groupId } = condition;
  const ranks = groups.find((group) => group.groupId === groupId)?.roles.filter(({ rank }) => rank > 0) ?? [];
  const isMeant = ({ rank, gameRoleId }: { rank: number; gameRoleId: string }): boolean => {
    if (condition.type === 'group_member') return true;
    if (condition.type === 'group_role') return gameRoleId === condition.gameRoleId;
    return rank >= condition.min && rank <= condition.max;
  };
  return ranks.filter(isMeant).map(({ rank }) => `${groupId}:${rank}`);
}

/** The notes without those on roles to remove that the rules take themselves. */
export function notesLeft(
  notes: readonly LineRemark[],
  removals: readonly Removal[],
  isTaken: (removal: Removal) => boolean,
): LineRemark[] {
  const said = new Set(removals.filter(isTaken).map(({ line }) => line));
  return notes.filter(({ line }) => !said.has(line));
}
