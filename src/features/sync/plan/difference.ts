import { groupIdsOf } from '../../mappings/condition.js';
import type { GuildRules, MemberNow } from './guild-rules.js';
import { restrictionOf } from './judge-member.js';
import type { SyncPlan } from './plan.js';
import type { DifferenceReason, Observed } from './planned-change-model.js';
import type { SeenMember } from './seen-member.js';

type Person = Omit<MemberNow, 'member'>;

/** A planned member's stored part. */
export interface Planned {
  member: SeenMember;
  plan: SyncPlan;
  gameUserId: string | null;
  /** The groups whose missing membership would take roles or a nickname. */
  absentFrom: string[];
  /** Whether the present nickname is Rolelink's. */
  formerIsOurs?: boolean;
  /** The last recorded sync's fence before the plan's facts were read. Null: none was made. */
  fence?: number | null;
}

/**
 * A member out of step, in a guild in observe mode; `fence` belongs to the sync that found it, or to the last one
 * before.
 */
export interface Difference {
  planned: Planned & { fence: number | null };
  reasons: Observed['reasons'];
}

/** The reasons for a member's plan: one per role, and one for the nickname or the kick. Pure. */
export function reasonsOf(
  { add, remove, nickname, kick }: Pick<SyncPlan, 'add' | 'remove' | 'nickname' | 'kick'>,
  rules: GuildRules,
  person: Person,
): Difference['reasons'] {
  const whyTaken = reasonOfLoss(rules, person);
  const itself = kick !== undefined ? ('restricted' as const) : ('nickname' as const);
  return [
    ...add.map((roleId) => ({ roleId, code: 'meets_rule' as const, ...decidingGroup(roleId, rules, person) })),
    ...remove.map((roleId) => ({
      ...{ roleId, code: whyTaken },
      ...(whyTaken === 'misses_rule' && decidingGroup(roleId, rules, person)),
    })),
    ...(nickname === undefined && kick === undefined ? [] : [{ code: itself }]),
  ];
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
