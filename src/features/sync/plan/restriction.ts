import { isRestrictive, type RestrictionRule, type Restrictions } from '../../../core/settings/restrictions.js';
import { type Condition, type ConditionFacts, matches } from '../../mappings/condition.js';
import type { GameIdentity } from '../../members/member-model.js';

export function ageAsked({ minimumAccountAgeDays: days }: Restrictions): Condition[] {
  return days === 0 ? [] : [{ type: 'account_age', days }];
}

/**
 * The restriction on a linked account's owner (RESTR-4); null if there is none. `unknown` if it depends on unknown
 * facts. Pure.
 */
export function restrictionOn(
  wish: Restrictions,
  game: GameIdentity | null,
  facts: ConditionFacts,
): RestrictionRule | 'unknown' | null {
  if (game === null || !isRestrictive(wish)) return null;
  const rules: [RestrictionRule, boolean | null][] = [
    ['denied_user', wish.deniedGameUserIds.includes(game.gameUserId)],
    ['denied_group', isInAny(wish.deniedGroupIds, facts)],
    ['required_group', wish.requiredGroupIds.length === 0 ? false : negated(isInAny(wish.requiredGroupIds, facts))],
    ['account_age', negated(matches({ type: 'all', of: ageAsked(wish) }, facts))],
  ];
  const [broken] = rules.find(([, isBroken]) => isBroken === true) ?? [];
  if (broken !== undefined) return broken;
  return rules.some(([, isBroken]) => isBroken === null) ? 'unknown' : null;
}

const isInAny = (groupIds: readonly string[], facts: ConditionFacts): boolean | null =>
  matches({ type: 'any', of: groupIds.map((groupId) => ({ type: 'group_member', groupId })) }, facts);

const negated = (answer: boolean | null): boolean | null => (answer === null ? null : !answer);
