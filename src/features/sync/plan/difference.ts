import { groupIdsOf } from '../../mappings/condition.js';
import type { Difference, DifferenceReason } from '../../members/member-sync-fields.js';
import type { GuildRules, MemberNow } from './guild-rules.js';
import { restrictionOf } from './judge-member.js';
import type { SyncPlan } from './plan.js';

type Person = Omit<MemberNow, 'member'>;

/** The difference between a member and their plan, with reasons, as a guild in observe mode stores it. Pure. */
export function differenceOf(
  { add, remove, nickname, kick }: Pick<SyncPlan, 'add' | 'remove' | 'nickname' | 'kick'>,
  rules: GuildRules,
  person: Person,
): Omit<Difference, 'since'> {
  const whyTaken = reasonOfLoss(rules, person);
  const itself = kick !== undefined ? ('restricted' as const) : ('nickname' as const);
  const reasons = [
    ...add.map((roleId) => ({ roleId, code: 'meets_rule' as const, ...decidingGroup(roleId, rules, person) })),
    ...remove.map((roleId) => ({
      ...{ roleId, code: whyTaken },
      ...(whyTaken === 'misses_rule' && decidingGroup(roleId, rules, person)),
    })),
    ...(nickname === undefined && kick === undefined ? [] : [{ code: itself }]),
  ];
  const about = [...new Set([...add, ...remove, ...reasons.map(({ code }) => code)])];
  const named = { ...(nickname !== undefined && { nickname }), ...(kick !== undefined && { kick }) };
  return { give: add, take: remove, ...named, reasons, about };
}

function reasonOfLoss(rules: GuildRules, person: Person): DifferenceReason {
  if (person.stored?.goneSince !== undefined) return 'account_gone';
  if (person.game === null) return 'not_verified';
  return restrictionOf(rules, person) === null ? 'misses_rule' : 'restricted';
}

/** The one group that decides about a role, and the member's role in it; nothing if no group or several decide. */
function decidingGroup(roleId: string, { mappings }: GuildRules, { ranks }: Person) {
  const ofRole = mappings.filter(({ roleIds }) => roleIds.includes(roleId));
  const [groupId, ...others] = new Set(ofRole.flatMap(({ condition }) => groupIdsOf(condition)));
  if (groupId === undefined || others.length > 0) return {};
  const [highest] = [...(ranks.get(groupId) ?? [])].sort((a, b) => b.rank - a.rank);
  return { groupId, gameRole: highest?.name ?? null };
}
