import type { RankAge } from '../../features/sync/watch/rank-age.js';
import { type TextKey, t } from '../../lib/translate.js';

const adviceWords: Readonly<Record<NonNullable<RankAge['advice']>, TextKey>> = {
  add_roblox_key: 'ranks.add_roblox_key',
  higher_plan: 'ranks.higher_plan',
  roblox_limit: 'ranks.roblox_limit',
};

/** How old the ranks of a guild's members are, in a line, and what would make them fresher. */
export function rankAgeText({ ageSeconds, targetSeconds, advice }: RankAge): string {
  const target = minutes(targetSeconds);
  const age =
    ageSeconds === null ? t('ranks.unread', { target }) : t('ranks.age', { age: minutes(ageSeconds), target });
  return advice === null ? age : `${age} ${t(adviceWords[advice])}`;
}

/** Begun minutes count whole. */
const minutes = (seconds: number): number => Math.max(1, Math.ceil(seconds / 60));
