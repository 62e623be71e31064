import type { HealthFinding } from '../../core/guilds/health-issue.js';
import type { BlockedCount } from '../members/blocked-syncs.js';
import { waitingResync } from '../sync/plan/waiting-plan.js';

/** Members with a Roblox account that is gone. */
export function goneIssues(gone: number): HealthFinding[] {
  const detail = `Roblox has deleted or banned the accounts of ${gone} linked members (status account_gone). They have no ranks until their account exists again, or they verify another one.`;
  return gone === 0 ? [] : [{ code: 'account_gone', detail, count: gone }];
}

/** Members that a restriction spares (RESTR-18). */
export function spareIssues({ count, chatUserIds: memberIds }: BlockedCount): HealthFinding[] {
  const detail = `A restriction would apply to ${count} members above the person who set it. Nothing changes for them until the owner confirms it (/settings view), or the restriction is changed.`;
  return count === 0 ? [] : [{ code: 'restriction_above_writer', detail, count, memberIds }];
}

/** Members left out by an admin (OBS-117). */
export function leftOutIssues({ count, chatUserIds: memberIds }: BlockedCount): HealthFinding[] {
  const detail = `Admins leave ${count} members out: nothing of theirs is changed until they are included again (/why).`;
  return count === 0 ? [] : [{ code: 'members_left_out', detail, count, memberIds }];
}

/** Members with roles beyond their link's word (AUTH-62). */
export function wordIssues({ count, chatUserIds: memberIds }: BlockedCount): HealthFinding[] {
  const detail = `For ${count} members, roles are held: their link rests on an import or a game code, and its author may not give these roles. They get them once they verify, or once somebody above the roles imports the same accounts.`;
  return count === 0 ? [] : [{ code: 'beyond_word', detail, count, memberIds }];
}

/** Members with removals that wait for an admin (SYNC-11), and the resync about them. */
export async function heldIssues(guildId: string, { count, chatUserIds }: BlockedCount): Promise<HealthFinding[]> {
  if (count === 0) return [];
  const resyncId = await waitingResync(guildId);
  const asked =
    resyncId === null ? 'Start a resync, so that it asks.' : `The resync ${resyncId} asks (/resync status).`;
  const detail = `Too many people would lose roles within an hour, so ${count} members lose nothing until an admin confirms it. ${asked}`;
  return [{ code: 'removal_limit', detail, count, memberIds: chatUserIds, ...(resyncId !== null && { resyncId }) }];
}
