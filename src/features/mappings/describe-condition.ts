import type { LinkedGroup } from '../../core/groups/group-model.js';
import { t } from '../../lib/translate.js';
import type { Condition } from './condition.js';
import type { FactCondition, FactValue } from './reported-facts.js';

export type NamedGroup = Pick<LinkedGroup, 'groupId' | 'name' | 'roles'>;

/**
 * A condition in the current language (English in the audit log): `rank 10–20 in Builders and not (verified)`. `groups`
 * gives the names; a group or role that is missing there is shown by its id.
 */
export function describeCondition(condition: Condition, groups: readonly NamedGroup[]): string {
  switch (condition.type) {
    case 'verified':
      return t('condition.verified');
    case 'unverified':
      return t('condition.unverified');
    case 'group_member':
      return t('condition.group_member', { group: groupName(condition.groupId, groups) });
    case 'group_rank':
      return t('condition.group_rank', {
        ranks: range(condition.min, condition.max),
        group: groupName(condition.groupId, groups),
      });
    case 'group_role':
      return t('condition.group_role', {
        role: roleName(condition, groups),
        group: groupName(condition.groupId, groups),
      });
    case 'group_roles':
      return t('condition.group_roles', { group: groupName(condition.groupId, groups) });
    case 'premium':
      return t('condition.premium');
    case 'account_age':
      return t('condition.account_age', { days: condition.days });
    case 'owns_item':
      return t(`condition.owns_${condition.kind}`, { id: condition.id });
    case 'fact':
      return describeFact(condition);
    case 'all':
      return joined(condition.of, t('condition.and'), groups);
    case 'any':
      return joined(condition.of, t('condition.or'), groups);
    case 'not':
      return t('condition.not', { condition: describeCondition(condition.of, groups) });
  }
}

function describeFact({ key, is, atLeast, atMost }: FactCondition): string {
  if (is !== undefined) return t('condition.fact_is', { key, value: factInWords(is) });
  if (atLeast === undefined) return t('condition.fact_at_most', { key, value: atMost ?? 0 });
  if (atMost === undefined) return t('condition.fact_at_least', { key, value: atLeast });
  return t('condition.fact_is', { key, value: range(atLeast, atMost) });
}

/** A fact's value: a text in quotation marks, others as a program writes them. */
export const factInWords = (value: FactValue): string => (typeof value === 'string' ? `“${value}”` : String(value));

/** Joins parts by a word. Parts that join others themselves get brackets, so that the text has one meaning only. */
function joined(parts: readonly Condition[], word: string, groups: readonly NamedGroup[]): string {
  const words = parts.map((part) => {
    const text = describeCondition(part, groups);
    const joins = (part.type === 'all' || part.type === 'any') && part.of.length > 1;
    return joins && parts.length > 1 ? `(${text})` : text;
  });
  return words.join(` ${word} `);
}

const range = (min: number, max: number): string => (min === max ? `${min}` : `${min}–${max}`);

function groupName(groupId: string, groups: readonly NamedGroup[]): string {
  return groups.find((group) => group.groupId === groupId)?.name ?? t('condition.unknown_group', { id: groupId });
}

function roleName({ groupId, gameRoleId }: { groupId: string; gameRoleId: string }, groups: readonly NamedGroup[]) {
  const group = groups.find((candidate) => candidate.groupId === groupId);
  return group?.roles.find((role) => role.gameRoleId === gameRoleId)?.name ?? gameRoleId;
}
