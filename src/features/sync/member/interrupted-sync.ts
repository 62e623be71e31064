import type { ApplyingSync } from '../../members/member-sync-fields.js';
import type { SyncPlan } from '../plan/plan.js';
import type { SeenMember } from '../plan/seen-member.js';

/**
 * A sync's whole effect: its own plan, and an interrupted sync's changes that are present now. That one's process was
 * killed, or Discord's answer lost, before it could store its result. `member` is the state before. Pure.
 */
export function withInterrupted<Plan extends SyncPlan>(
  member: SeenMember,
  plan: Plan,
  applying: ApplyingSync | undefined,
): { member: SeenMember; plan: Plan } {
  if (applying === undefined) return { member, plan };
  const { roleIds, nickname } = member;
  const given = applying.added.filter((roleId) => roleIds.includes(roleId) && !plan.remove.includes(roleId));
  const taken = applying.removed.filter((roleId) => !roleIds.includes(roleId) && !plan.add.includes(roleId));
  const isNamed = plan.nickname === undefined && applying.nickname !== undefined && applying.nickname === nickname;
  return {
    member: isNamed ? { ...member, nickname: applying.formerNickname } : member,
    plan: {
      ...plan,
      add: [...plan.add, ...given].sort(),
      remove: [...plan.remove, ...taken].sort(),
      nickname: isNamed ? nickname : plan.nickname,
    },
  };
}

/** The member before an interrupted sync's changes that are present now. Pure. */
export function beforeInterrupted(
  { roleIds, nickname }: Pick<SeenMember, 'roleIds' | 'nickname'>,
  applying: ApplyingSync | undefined,
): Pick<SeenMember, 'roleIds' | 'nickname'> {
  if (applying === undefined) return { roleIds, nickname };
  const kept = roleIds.filter((roleId) => !applying.added.includes(roleId));
  const isNamed = applying.nickname !== undefined && applying.nickname === nickname;
  return {
    roleIds: [...new Set([...kept, ...applying.removed])],
    nickname: isNamed ? applying.formerNickname : nickname,
  };
}

/**
 * An interrupted sync's changes that this plan reverses. They are reported separately, before they are undone. Returns
 * the member before them; null if nothing is reversed. Pure.
 */
export function reversedOf(
  member: SeenMember,
  plan: SyncPlan,
  applying: ApplyingSync | undefined,
): { member: SeenMember; plan: SyncPlan } | null {
  if (applying === undefined) return null;
  const { roleIds, nickname } = member;
  const isKicked = plan.kick !== undefined;
  const add = applying.added.filter((id) => roleIds.includes(id) && (isKicked || plan.remove.includes(id)));
  const remove = applying.removed.filter((id) => !roleIds.includes(id) && (isKicked || plan.add.includes(id)));
  const isRenamed = isKicked || plan.nickname !== undefined;
  const isNamed = isRenamed && applying.nickname !== undefined && applying.nickname === nickname;
  if (add.length + remove.length === 0 && !isNamed) return null;
  return {
    member: isNamed ? { ...member, nickname: applying.formerNickname } : member,
    plan: {
      ...{ add: add.sort(), remove: remove.sort(), nickname: isNamed ? nickname : undefined },
      ...{ blocked: [], nicknameBlocked: null },
    },
  };
}
