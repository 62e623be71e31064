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

/** New mappings whose roles a mapping of the whole group gives to the same ranks already, one remark each. Pure. */
export function doublesAmong(
  fresh: readonly ImportedDraft[],
  others: readonly Rule[],
  names: WholeNames,
): LineRemark[] {
  const whole = expanded(
    others.filter((rule) => mapsWholeGroup([rule])),
    names,
  );
  return fresh.flatMap(({ line, draft }) => {
    const wanted = peopleOf(draft.condition, names.groups) ?? [];
    const isGiven = (roleId: string): boolean => {
      const givers = whole.filter(({ roleIds }) => roleIds.includes(roleId)).map(({ condition }) => condition);
      const given = givers.flatMap((condition) => peopleOf(condition, names.groups) ?? []);
      return wanted.every((one) => given.includes(one));
    };
    if (mapsWholeGroup([draft]) || wanted.length === 0 || draft.roleIds.length === 0) return [];
    if (!draft.roleIds.every(isGiven)) return [];
    const roles = draft.roleIds.map((roleId) => names.facts.roles.get(roleId)?.name ?? roleId).join(', ');
    return [{ line, code: 'given_twice' as const, message: t('import_line.given_twice', { roles }) }];
  });
}

interface WholeNames extends RoleNames {
  groups: Groups;
}

/**
 * Whether the rules themselves take these roles from a bind's people: they give them, to none of these people, and
 * remove them from everybody else. Pure.
 */
export function isTakenByRules(
  { roleIds, condition }: { roleIds: readonly string[]; condition: Condition },
  rules: readonly Rule[],
  names: WholeNames,
): boolean {
  const people = peopleOf(condition, names.groups);
  const all = expanded(rules, names);
  return roleIds.every((roleId) => {
    const givers = all.filter((rule) => rule.roleIds.includes(roleId));
    return (
      people !== null &&
      givers.length > 0 &&
      givers.every((rule) => {
        const others = peopleOf(rule.condition, names.groups);
        const isApart = others !== null && !others.some((one) => people.includes(one)) && sameGroup(others, people);
        return rule.enabled && rule.removeWhenUnmatched && isApart;
      })
    );
  });
}

const sameGroup = ([one = '']: readonly string[], [other = '']: readonly string[]): boolean =>
  one.split(':')[0] === other.split(':')[0];

/** The ranks of one group that a condition names, each as `group:rank`; 0 for people outside it. Null: no such condition. */
function peopleOf(condition: Condition, groups: Groups): string[] | null {
  if (condition.type === 'not') {
    const { of } = condition;
    return of.type === 'group_member' ? [`${of.groupId}:0`] : null;
  }
  if (condition.type === 'any') {
    const parts = condition.of.map((part) => peopleOf(part, groups));
    const all = parts.flatMap((part) => part ?? []);
    return parts.includes(null) || !all.every((one) => sameGroup([one], all)) ? null : all;
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
