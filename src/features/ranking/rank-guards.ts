import { Forbidden } from '../../lib/errors.js';
import { highestRank, ownerRank, type RankMove } from './rank-ladder.js';
import type { Ranker } from './ranker.js';

/** The limits of a change by ranks on Roblox. */
export interface RanksAround {
  /** The author's; null for the operator. */
  own: number | null;
  /** That of the account behind the operator's key. */
  key: number;
}

/**
 * Why this author may not make this change; null if they may. The highest rank before and after decides, and each moved
 * role (RANKING-5 to RANKING-7). Pure.
 */
export function refusalOf(move: RankMove, ranker: Ranker, { own, key }: RanksAround): Forbidden | null {
  const top = highestRank([...move.before, ...move.after]);
  if (top >= ownerRank) return new Forbidden('owner_rank', 'The owner of a group keeps that rank, and nobody gets it.');
  if (own !== null && top >= own) {
    return new Forbidden('rank_above_own', 'Nobody gives or takes a rank at or above their own in the group.');
  }
  if (top >= key) {
    const words = "This rank isn't below the one of the account whose key Rolelink uses. Tell whoever runs the bot.";
    return new Forbidden('rank_above_key', words);
  }
  const moved = [...move.assign, ...move.unassign].map(({ rank }) => rank);
  const lowest = Math.min(highestRank(move.before), highestRank(move.after), ...moved);
  if ((ranker.highestRank !== null && top > ranker.highestRank) || lowest < ranker.lowestRank) {
    return new Forbidden('rank_above_limit', 'This rank is beyond those that you may give and take in this group.');
  }
  if (!ranker.mayDemote && isDemotion(move)) {
    return new Forbidden('rank_above_limit', 'This token may promote people, and not demote them.');
  }
  return null;
}

/** Whether the member only loses roles, or a higher one than the gained one. Roles that stay don't count. Pure. */
export const isDemotion = ({ assign, unassign }: RankMove): boolean =>
  assign.length === 0 || highestRank(unassign) > highestRank(assign);
