import { LinkedGroups } from '../../core/groups/group-model.js';
import { groupNotFound } from '../../core/groups/group-service.js';
import type { Page, PageQuery } from '../../lib/cursor.js';
import { type RankChange, RankChanges } from './rank-change-model.js';

/**
 * A page of the changes in a group of the guild, newest first, also without RANKING_GROUPS. Throws
 * NotFound `group_not_found`.
 */
export async function listRankChanges(guildId: string, groupId: string, query: PageQuery): Promise<Page<RankChange>> {
  const hint = { guildId: 1, groupId: 1, _id: -1 } as const;
  if ((await LinkedGroups.findOne({ guildId, groupId })) === null) throw groupNotFound();
  return RankChanges.page({ guildId, groupId }, query, { field: '_id', direction: -1, hint });
}
