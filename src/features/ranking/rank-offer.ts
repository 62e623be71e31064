import type { Actor } from '../../core/actors/actor.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import type { GameRole } from '../../platforms/roblox/game-groups.js';
import { refusalOf } from './rank-guards.js';
import { moveTo } from './rank-ladder.js';
import { readRanks } from './rank-reading.js';
import { notInGroup } from './rank-refusals.js';
import { type RankedPerson, settingFor } from './rank-service.js';

/** A person's roles in a group, highest first, and those on offer from this author, lowest first. */
export interface RankOffer {
  gameUserId: string;
  held: readonly GameRole[];
  offered: readonly GameRole[];
}

/** An author's choice of ranks for a person now. Throws as `changeRank` does. */
export async function offerRanks(
  guild: Guild,
  actor: Actor,
  { groupId, person }: { groupId: string; person: RankedPerson },
): Promise<RankOffer> {
  const [{ ranker }, { gameUserId }] = await settingFor(guild, actor, groupId, person);
  const ranks = await readRanks(groupId, [gameUserId], ranker.gameUserId);
  const held = ranks.of(gameUserId);
  if (held.length === 0) throw notInGroup();
  const isOwn = ranker.ownGameUserIds.has(gameUserId);
  const offered = ranks.roles.filter((role) => {
    const move = isOwn ? 'unchanged' : moveTo({ gameRoleId: role.gameRoleId }, held, ranks.roles);
    return typeof move !== 'string' && refusalOf(move, ranker, ranks.around) === null;
  });
  return { gameUserId, held, offered };
}
