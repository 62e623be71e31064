import type { Actor } from '../../core/actors/actor.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import type { GameRole } from '../../platforms/roblox/game-groups.js';
import { explainMember } from '../member-views/member-why.js';
import { refusalOf } from './rank-guards.js';
import { moveTo } from './rank-ladder.js';
import { readRanks } from './rank-reading.js';
import { notInGroup, ownRank, refusalOfTarget } from './rank-refusals.js';
import { type RankedPerson, settingOf, subjectOf } from './rank-service.js';

/** A change of a rank before it is made. */
export interface RankEffects {
  gameUserId: string;
  before: readonly GameRole[];
  after: readonly GameRole[];
  /** The change on Discord by the next sync; null for an account without a linked member here. */
  discord: { add: readonly string[]; remove: readonly string[]; nickname: string | null } | null;
}

/** The effects of giving a person this role, by the planner of the sync (RANKING-24). Throws as `changeRank` does. */
export async function effectsOfRank(
  guild: Guild,
  actor: Actor,
  { groupId, person, gameRoleId }: { groupId: string; person: RankedPerson; gameRoleId: string },
): Promise<RankEffects> {
  const { ranker } = await settingOf(guild, actor, groupId);
  const { gameUserId, member } = await subjectOf(guild, person);
  if (ranker.ownGameUserIds.has(gameUserId)) throw ownRank();
  const ranks = await readRanks(groupId, [gameUserId], ranker.gameUserId);
  const before = ranks.of(gameUserId);
  if (before.length === 0) throw notInGroup();
  const move = moveTo({ gameRoleId }, before, ranks.roles);
  if (typeof move === 'string') throw refusalOfTarget(move);
  const refusal = refusalOf(move, ranker, ranks.around);
  if (refusal !== null) throw refusal;
  const { after } = move;
  if (member === null) return { gameUserId, before, after, discord: null };
  const held = new Map([...ranks.everywhere(gameUserId), [groupId, after.map((role) => role.gameRoleId)]]);
  const known = { gameUserId, groupId, held, readAt: clock.now() };
  const { plan } = await explainMember(guild, member.chatUserId, false, known);
  const { add, remove, nickname } = plan;
  return { gameUserId, before, after, discord: { add, remove, nickname: nickname ?? null } };
}
