import { ChatPlatformUnavailable } from '../../../lib/errors.js';
import {
  editMember,
  type GuildMember,
  giveRole,
  type MemberEdit,
  takeRole,
} from '../../../platforms/discord/guild-members.js';
import { hasWork, type SyncPlan } from './plan.js';

/**
 * Writes a plan to Discord with the fewest calls that cannot lose anything (SPEC §6.3): nothing to do costs none; one
 * role is one atomic PUT or DELETE; anything more is one PATCH, whose array is built from the roles in `member`, read
 * just before. The roles that a PATCH answers are compared with the wish. `reason` goes into
 * Discord's audit log.
 */
export async function applyPlan(guildId: string, member: GuildMember, plan: SyncPlan, reason: string): Promise<void> {
  const { add, remove, nickname } = plan;
  const { chatUserId } = member;
  const [added] = add;
  const [removed] = remove;
  if (!hasWork(plan)) return;
  if (add.length + remove.length === 1 && nickname === undefined) {
    if (added !== undefined) await giveRole(guildId, chatUserId, added, reason);
    if (removed !== undefined) await takeRole(guildId, chatUserId, removed, reason);
    return;
  }
  requireApplied(await editMember(guildId, chatUserId, editFor(member, plan), reason), plan);
}

/** The one edit that makes a plan true of a member. */
export function editFor(member: Pick<GuildMember, 'roleIds'>, { add, remove, nickname }: SyncPlan): MemberEdit {
  const roleIds = [...member.roleIds.filter((roleId) => !remove.includes(roleId)), ...add];
  return { ...(add.length + remove.length > 0 && { roleIds }), ...(nickname !== undefined && { nickname }) };
}

/** Throws ChatPlatformUnavailable when Discord has answered an edit with other roles than it was asked for. */
export function requireApplied(after: Pick<GuildMember, 'roleIds'>, { add, remove }: SyncPlan): void {
  const held = new Set(after.roleIds);
  if (add.every((roleId) => held.has(roleId)) && !remove.some((roleId) => held.has(roleId))) return;
  throw new ChatPlatformUnavailable('Discord answered with other roles than those asked for.');
}
