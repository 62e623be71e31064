import { config } from '../../config/config.js';
import type { LinkedGroup } from '../../core/groups/group-model.js';
import type { HealthFinding } from '../../core/guilds/health-issue.js';
import { type RankingFault, rankingFaultOf, readKeyRights } from '../../platforms/roblox/key-rights.js';

/** A group in which ranks may be changed, and the obstacle to it. */
export interface RankingObstacle {
  groupId: string;
  fault: RankingFault;
}

/** The obstacles in the groups of RANKING_GROUPS. Throws GamePlatformUnavailable. */
export async function readRankingObstacles(): Promise<RankingObstacle[]> {
  const found = [...config().rankingGroups].map(async (groupId) => {
    const rights = await readKeyRights(groupId, { fresh: true });
    const fault = rights && rankingFaultOf(rights);
    return fault === null ? [] : [{ groupId, fault }];
  });
  return (await Promise.all(found)).flat();
}

/** The obstacles in a guild's groups, in words (ROBLOX-29). Pure. */
export function rankingIssues(
  obstacles: readonly RankingObstacle[],
  groups: readonly Pick<LinkedGroup, 'groupId' | 'name'>[],
): HealthFinding[] {
  return obstacles.flatMap(({ groupId, fault }) => {
    const groupName = groups.find((group) => group.groupId === groupId)?.name;
    if (groupName === undefined) return [];
    const detail = `Ranks in ${groupName} can't be changed: ${words[fault]}. Tell whoever runs the bot.`;
    return [{ code: `ranking_${fault}` as const, detail, groupId, groupName }];
  });
}

const words: Readonly<Record<RankingFault, string>> = {
  scope_missing: "the Roblox key of this bot's host doesn't have the permission group:write",
  outside: "the account of this bot's Roblox key isn't in the group",
  permission_missing: "the account of this bot's Roblox key may not change ranks there",
  rank_low: "the account of this bot's Roblox key is ranked too low",
};
