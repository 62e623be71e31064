import type { Actor } from '../../core/actors/actor.js';
import type { LinkedGroup } from '../../core/groups/group-model.js';
import { findGroups } from '../../core/groups/group-service.js';
import { isRankingOn } from '../../core/groups/ranking-rules.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { Forbidden } from '../../lib/errors.js';
import { readGameUser } from '../../platforms/roblox/game-users.js';
import { explainMember } from '../member-views/member-why.js';
import { refusalOf } from './rank-guards.js';
import { moveTo, type RankMove, type RankTarget } from './rank-ladder.js';
import { type GroupRanks, readRanks } from './rank-reading.js';
import { notInGroup, ownRank, rankingOff, refusalOfTarget } from './rank-refusals.js';
import { type RankedPerson, settingFor, settingOf } from './rank-service.js';

/** A change of a rank before it is made. */
export interface RankPreview extends Pick<RankMove, 'before' | 'after'> {
  /** The role that was asked for, or that a step leads to. */
  gameRoleId: string;
  group: LinkedGroup;
  gameUserId: string;
  gameUsername: string;
  /** The change on Discord by the next sync; null for an account without a linked member here. */
  discord: DiscordEffects | null;
}

interface DiscordEffects {
  added: readonly string[];
  removed: readonly string[];
  nickname: string | null;
  /** The server observes: its rules say this, and Discord stays as it is (RANKING-3). */
  observing: boolean;
}

/**
 * The guild's groups in which this author may rank. Others learn nothing about a person by asking. Throws Conflict
 * `ranking_off`, and Forbidden as `changeRank` does where no group lets them.
 */
export async function rankingGroupsOf(guild: Guild, actor: Actor): Promise<LinkedGroup[]> {
  const groups = (await findGroups(guild._id)).filter(({ groupId }) => isRankingOn(groupId));
  if (groups.length === 0) throw rankingOff();
  const allowed: LinkedGroup[] = [];
  let refusal: Forbidden | undefined;
  for (const group of groups) {
    try {
      await settingOf(guild, actor, group.groupId);
      allowed.push(group);
    } catch (error) {
      if (!(error instanceof Forbidden)) throw error;
      refusal ??= error;
    }
  }
  if (allowed.length === 0 && refusal !== undefined) throw refusal;
  return allowed;
}

/**
 * The change that `changeRank` would make now, with its effects on Discord by the sync's planner; nothing is changed
 * (RANKING-24). Throws as it does.
 */
export async function previewRank(
  guild: Guild,
  actor: Actor,
  { groupId, person, target }: { groupId: string; person: RankedPerson; target: RankTarget },
): Promise<RankPreview> {
  const [{ group, ranker }, { gameUserId, member }] = await settingFor(guild, actor, groupId, person);
  if (ranker.ownGameUserIds.has(gameUserId)) throw ownRank();
  const ranks = await readRanks(groupId, [gameUserId], ranker.gameUserId);
  const held = ranks.of(gameUserId);
  if (held.length === 0) throw notInGroup();
  const move = moveTo(target, held, ranks.roles);
  if (typeof move === 'string') throw refusalOfTarget(move);
  const refusal = refusalOf(move, ranker, ranks.around);
  if (refusal !== null) throw refusal;
  const { before, after } = move;
  const change = { groupId, gameUserId, after };
  const [gameUsername, discord] = await Promise.all([
    nameOf(gameUserId, member),
    member === null ? null : effectsOn(guild, member.chatUserId, change, ranks),
  ]);
  return { group, gameRoleId: move.to.gameRoleId, gameUserId, gameUsername, before, after, discord };
}

/** The member's plan as if they had these roles in the group. */
async function effectsOn(
  guild: Guild,
  chatUserId: string,
  { groupId, gameUserId, after }: { groupId: string; gameUserId: string; after: RankMove['after'] },
  ranks: GroupRanks,
): Promise<DiscordEffects> {
  const held = new Map([...ranks.everywhere(gameUserId), [groupId, after.map(({ gameRoleId }) => gameRoleId)]]);
  const known = { gameUserId, groupId, held, readAt: clock.now() };
  const { plan, memberState } = await explainMember(guild, chatUserId, false, known);
  const observing = memberState.settings.mode === 'observe';
  return { added: plan.add, removed: plan.remove, nickname: plan.nickname ?? null, observing };
}

/** The name of an account, as its member has it or as Roblox tells it. Throws GamePlatformUnavailable. */
export async function nameOf(gameUserId: string, member: { gameUsername?: string } | null): Promise<string> {
  return member?.gameUsername ?? (await readGameUser(gameUserId))?.gameUsername ?? gameUserId;
}
