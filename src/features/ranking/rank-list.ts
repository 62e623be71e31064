import { trusted } from 'mongoose';
import { LinkedGroups } from '../../core/groups/group-model.js';
import { groupNotFound } from '../../core/groups/group-service.js';
import { isRankingOn } from '../../core/groups/ranking-rules.js';
import type { Page, PageQuery } from '../../lib/cursor.js';
import type { MemberWhy } from '../member-views/member-why.js';
import { Members, memberIndexes } from '../members/member-model.js';
import { byAccount, type RankChange, RankChanges } from './rank-change-model.js';

/**
 * A page of the changes in a group of the guild, newest first, also without RANKING_GROUPS. Throws
 * NotFound `group_not_found`.
 */
export async function listRankChanges(guildId: string, groupId: string, query: PageQuery): Promise<Page<RankChange>> {
  const hint = { guildId: 1, groupId: 1, _id: -1 } as const;
  if ((await LinkedGroups.findOne({ guildId, groupId })) === null) throw groupNotFound();
  const ofRanks = { guildId, groupId, decision: trusted({ $exists: false }) };
  const page = await RankChanges.page(ofRanks, query, { field: '_id', direction: -1, hint });
  return { ...page, data: await withShownMembers(guildId, page.data) };
}

/** The latest change of a member's rank, made here within 30 days; null for none. */
export async function latestRankChangeOf({ memberState, snapshot }: MemberWhy): Promise<RankChange | null> {
  const { game, stored } = memberState;
  if (game === null || stored === null || !snapshot.groups.some(({ groupId }) => isRankingOn(groupId))) return null;
  const { guildId } = stored;
  const { gameUserId } = game;
  const made = { guildId, gameUserId, state: 'done' as const, decision: trusted({ $exists: false }) };
  const [latest = null] = await RankChanges.find(made, { sort: { _id: -1 }, limit: 1, hint: byAccount });
  return latest;
}

/** The changes with their members where these show that account here now (ID-19). The stored member is for erasure. */
async function withShownMembers(guildId: string, changes: readonly RankChange[]): Promise<RankChange[]> {
  const chatUserIds = [...new Set(changes.flatMap(({ chatUserId }) => chatUserId ?? []))];
  if (chatUserIds.length === 0) return [...changes];
  const linked = await Members.find(
    { guildId, chatUserId: trusted({ $in: chatUserIds }), state: 'linked' },
    { hint: memberIndexes.chatUserId },
  );
  const accounts = new Map(linked.map(({ chatUserId, gameUserId }) => [chatUserId, gameUserId]));
  return changes.map(({ chatUserId, ...change }) => {
    const isShown = chatUserId !== undefined && accounts.get(chatUserId) === change.gameUserId;
    return isShown ? { ...change, chatUserId } : change;
  });
}
