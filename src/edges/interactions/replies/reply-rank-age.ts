import type { RankAge } from '../../../features/rank-watch/rank-age.js';
import type { WatchedGroupCounts } from '../../../features/rank-watch/watched-group-counts.js';
import { type TextKey, t } from '../../../lib/translate.js';

const adviceWords: Readonly<Record<NonNullable<RankAge['advice']>, TextKey>> = {
  add_roblox_key: 'ranks.add_roblox_key',
  higher_plan: 'ranks.higher_plan',
  roblox_limit: 'ranks.roblox_limit',
};

/** The members' rank age, how many groups report changes themselves, and ways to make ranks fresher. */
export function rankAgeText({ ageSeconds, targetSeconds, advice }: RankAge, groups: WatchedGroupCounts): string {
  const target = minutes(targetSeconds);
  const age =
    ageSeconds === null ? t('ranks.unread', { target }) : t('ranks.age', { age: minutes(ageSeconds), target });
  const all = groups.log + groups.counts + groups.people;
  const byLog = groups.log === 0 ? [] : t('ranks.by_log', { log: groups.log, groups: all });
  return [age, ...[byLog].flat(), ...(advice === null ? [] : [t(adviceWords[advice])])].join(' ');
}

/** Rounds up to whole minutes. */
const minutes = (seconds: number): number => Math.max(1, Math.ceil(seconds / 60));
