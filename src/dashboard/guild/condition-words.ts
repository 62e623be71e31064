import type { Condition, Group } from '../api/queries.js';
import type { Words } from '../i18n/words.js';

type Speech = Pick<Words, 't' | 'list' | 'either'>;
type Groups = ReadonlyMap<string, Pick<Group, 'name' | 'roles'>>;

/** A condition that ends "everyone who …": "is in Builders and is verified". */
export function conditionWords(condition: Condition, groups: Groups, words: Speech): string {
  const { t } = words;
  switch (condition.type) {
    case 'verified':
    case 'unverified':
    case 'premium':
      return t(`condition.${condition.type}`);
    case 'account_age':
      return t('condition.account_age', { days: condition.days });
    case 'owns_item':
      return t(`condition.owns_${condition.kind}`, { id: condition.id });
    case 'fact':
      return t('condition.fact', { fact: factWords(condition) });
    case 'all':
      return words.list(condition.of.map((part) => partWords(part, groups, words)));
    case 'any':
      return words.either(condition.of.map((part) => partWords(part, groups, words)));
    case 'not':
      if (condition.of.type === 'group_member') {
        return t('condition.not_group_member', { group: groupName(condition.of.groupId, groups, words) });
      }
      return t('condition.not', { part: conditionWords(condition.of, groups, words) });
    default:
      return groupWords(condition, groups, words);
  }
}

/** A fact from the server's game as a program writes it: `level ≥ 10`. */
function factWords({ key, is, atLeast, atMost }: Extract<Condition, { type: 'fact' }>): string {
  if (is !== undefined) return `${key} = ${typeof is === 'string' ? `“${is}”` : is}`;
  const from = atLeast === undefined ? [] : [`${key} ≥ ${atLeast}`];
  return [...from, ...(atMost === undefined ? [] : [`${key} ≤ ${atMost}`])].join(', ');
}

/** The owner's rank, above which Roblox has none. */
const highestRank = 255;

/**
 * A condition under the name of its group, which it then leaves out: "Rank Officer (100)". Others: a whole sentence.
 */
export function wordsUnderGroup(condition: Condition, groups: Groups, words: Speech): string {
  const { t } = words;
  if (!('groupId' in condition)) return t('mapping.who', { condition: conditionWords(condition, groups, words) });
  const known = groups.get(condition.groupId);
  switch (condition.type) {
    case 'group_member':
      return t('mapping.of_members');
    case 'group_roles':
      return t('mapping.of_same_name');
    case 'group_role': {
      const rank = known?.roles.find(({ gameRoleId }) => gameRoleId === condition.gameRoleId);
      return t('mapping.of_rank', { rank: rank?.name ?? condition.gameRoleId });
    }
    case 'group_rank': {
      const [from = '', to = ''] = [condition.min, condition.max].map((rank) => rankName(known, rank));
      if (from === to) return t('mapping.of_rank', { rank: from });
      return condition.max === highestRank ? t('mapping.of_rank_from', { from }) : t('mapping.of_ranks', { from, to });
    }
  }
}

const groupName = (groupId: string, groups: Groups, { t }: Pick<Speech, 't'>): string =>
  groups.get(groupId)?.name ?? t('condition.unknown_group', { id: groupId });

type OfGroup = Extract<Condition, { groupId: string }>;

function groupWords(condition: OfGroup, groups: Groups, { t }: Speech): string {
  const known = groups.get(condition.groupId);
  const group = groupName(condition.groupId, groups, { t });
  switch (condition.type) {
    case 'group_member':
      return t('condition.group_member', { group });
    case 'group_roles':
      return t('condition.group_roles', { group });
    case 'group_role': {
      const rank = known?.roles.find(({ gameRoleId }) => gameRoleId === condition.gameRoleId);
      return t('condition.group_role', { group, rank: rank?.name ?? condition.gameRoleId });
    }
    case 'group_rank': {
      const [from, to] = [condition.min, condition.max].map((rank) => rankName(known, rank));
      if (from === to) return t('condition.group_role', { group, rank: from ?? '' });
      if (condition.max === highestRank) return t('condition.group_rank_from', { group, from: from ?? '' });
      return t('condition.group_rank', { group, from: from ?? '', to: to ?? '' });
    }
  }
}

/** A rank by its name where the group has one with that number: "Officer (100)". */
function rankName(group: Pick<Group, 'roles'> | undefined, rank: number): string {
  const named = group?.roles.find((role) => role.rank === rank);
  return named === undefined ? String(rank) : `${named.name} (${rank})`;
}

/** A part in words. Parts with their own parts get brackets. */
function partWords(part: Condition, groups: Groups, words: Speech): string {
  const text = conditionWords(part, groups, words);
  return part.type === 'all' || part.type === 'any' ? `(${text})` : text;
}
