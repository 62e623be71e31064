import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../../client/api-types.js';
import { groupsQuery } from '../../api/queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import css from './tokens.module.css';

/** The limits of a `ranker` in its row. A group that is gone, or not read yet, stands by its id. */
export function RankerLimits({ limits }: { limits: Schemas['TokenRanking'] }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const groups = useQuery(groupsQuery(guildId));
  const { groupIds, lowestRank = 1, highestRank, mayDemote, perHour = 60 } = limits;
  const names = groupIds.map((id) => groups.data?.find(({ groupId }) => groupId === id)?.name ?? id);
  return (
    <>
      <p className={css.note}>
        {t('token_ranks.limits', { groups: names.join(', '), from: lowestRank, to: highestRank })}
      </p>
      <p className={css.note}>
        {[t('token_ranks.hourly', { count: perHour }), ...(mayDemote ? [t('token_ranks.demotes')] : [])].join(' · ')}
      </p>
    </>
  );
}
