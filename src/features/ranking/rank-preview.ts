import type { Actor } from '../../core/actors/actor.js';
import type { LinkedGroup } from '../../core/groups/group-model.js';
import { findGroups } from '../../core/groups/group-service.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { Forbidden } from '../../lib/errors.js';
import { readGameUser } from '../../platforms/roblox/game-users.js';
import { refusalOf } from './rank-guards.js';
import { moveTo, type RankMove, type RankTarget } from './rank-ladder.js';
import { readRanks } from './rank-reading.js';
import { notInGroup, rankingOff, refusalOfTarget } from './rank-refusals.js';
import { isRankingOn, type RankedPerson, settingOf, subjectOf } from './rank-service.js';

/** A change of a rank before it is made. */
export interface RankPreview extends Pick<RankMove, 'before' | 'after'> {
  group: LinkedGroup;
  gameUserId: string;
  gameUsername: string;
}

/** The groups of a guild in which it may rank. Throws Conflict `ranking_off` where there is none. */
export async function rankingGroupsOf(guildId: string): Promise<LinkedGroup[]> {
  const groups = (await findGroups(guildId)).filter(({ groupId }) => isRankingOn(groupId));
  if (groups.length === 0) throw rankingOff();
  return groups;
}

/** The change that `changeRank` would make now; nothing is changed. Throws as it does. */
export async function previewRank(
  guild: Guild,
  actor: Actor,
  { groupId, person, target }: { groupId: string; person: RankedPerson; target: RankTarget },
): Promise<RankPreview> {
  const { group, ranker } = await settingOf(guild, actor, groupId);
  const { gameUserId, member } = await subjectOf(guild, person);
  if (ranker.ownGameUserIds.has(gameUserId)) {
    throw new Forbidden('rank_of_own_account', 'Nobody changes their own rank. Ask somebody else.');
  }
  const ranks = await readRanks(groupId, [gameUserId], ranker.gameUserId);
  const held = ranks.of(gameUserId);
  if (held.length === 0) throw notInGroup();
  const move = moveTo(target, held, ranks.roles);
  if (typeof move === 'string') throw refusalOfTarget(move);
  const refusal = refusalOf(move, ranker, ranks.around);
  if (refusal !== null) throw refusal;
  const { before, after } = move;
  return { group, gameUserId, gameUsername: await nameOf(gameUserId, member), before, after };
}

/** The name of an account, as its member has it or as Roblox tells it. Throws GamePlatformUnavailable. */
export async function nameOf(gameUserId: string, member: { gameUsername?: string } | null): Promise<string> {
  return member?.gameUsername ?? (await readGameUser(gameUserId))?.gameUsername ?? gameUserId;
}
