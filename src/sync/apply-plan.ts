import { editMember, type GuildMember, giveRole, takeRole } from '../discord/guild-members.js';
import { ChatPlatformUnavailable } from '../lib/errors.js';
import type { SyncPlan } from './plan.js';

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
  const roleChanges = add.length + remove.length;
  if (roleChanges === 0 && nickname === undefined) return;
  if (roleChanges === 1 && nickname === undefined) {
    if (added !== undefined) await giveRole(guildId, chatUserId, added, reason);
    if (removed !== undefined) await takeRole(guildId, chatUserId, removed, reason);
    return;
  }
  const roleIds = [...member.roleIds.filter((roleId) => !remove.includes(roleId)), ...add];
  const change = { ...(roleChanges > 0 && { roleIds }), ...(nickname !== undefined && { nickname }) };
  compare(await editMember(guildId, chatUserId, change, reason), plan);
}

function compare(after: GuildMember, { add, remove }: SyncPlan): void {
  const held = new Set(after.roleIds);
  if (add.every((roleId) => held.has(roleId)) && !remove.some((roleId) => held.has(roleId))) return;
  throw new ChatPlatformUnavailable('Discord answered with other roles than those asked for.');
}
