import type { GuildMember } from '../../../platforms/discord/guild-members.js';
import type { ApplyingSync } from '../../members/member-model.js';
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
