import type { GuildMember } from '../../../platforms/discord/guild-members.js';
import type { ApplyingSync } from '../../members/member-sync-fields.js';
import type { SyncPlan } from '../plan/plan.js';

/**
 * What a sync has done in all: besides its own plan, what one before it was about to do and is true now, as its process
 * was killed, or Discord's answer lost, before that could be written down. `member` is as they were before. Pure.
 */
export function withInterrupted(
  member: GuildMember,
  plan: SyncPlan,
  applying: ApplyingSync | undefined,
): { member: GuildMember; plan: SyncPlan } {
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

/**
 * What an interrupted sync had done that this plan reverses: it is told of by itself, before it is undone. The member as
 * they were before it; null where nothing is reversed. Pure.
 */
export function reversedOf(
  member: GuildMember,
  plan: SyncPlan,
  applying: ApplyingSync | undefined,
): { member: GuildMember; plan: SyncPlan } | null {
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
