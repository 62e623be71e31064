import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { historyQuery } from '../../api/queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { useAsTable } from '../../parts/chart-table.js';
import { Choice } from '../../parts/choice.js';
import { Section } from '../../parts/page.js';
import { Answered } from '../../parts/states.js';
import { HistoryCharts } from './history-charts.js';
import { HistoryTable } from './history-table.js';
import css from './overview.module.css';
import { type OverviewSearch, overviewSearch, periodOf, periods } from './overview-search.js';

/** Figures for 7, 30 or 90 days as charts, and the same as a table. */
export function HistorySection() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const search = useSearch({ from: '/g/$guildId/' });
  const navigate = useNavigate({ from: '/g/$guildId/' });
  const [asTable, toggle] = useAsTable();
  const history = useQuery({ ...historyQuery(guildId, periodOf(search)), placeholderData: keepPreviousData });
  const change = (changed: OverviewSearch | { days: number }) =>
    navigate({ search: (before) => overviewSearch({ ...before, ...changed }), replace: true, resetScroll: false });
  const period = (
    <Choice
      size="xs"
      aria-label={t('history.period')}
      value={periodOf(search)}
      options={periods.map((value) => ({ value, label: t('history.days', { count: Number(value) }) }))}
      onChange={(value) => change({ days: Number(value) })}
    />
  );
  return (
    <Section title={t('history.title')} actions={<div className={css.tools}>{[period, toggle]}</div>} plain>
      <Answered query={history} shape={[['charts', 5]]}>
        {(data) =>
          asTable ? (
            <HistoryTable history={data} mappingId={search.mapping} />
          ) : (
            <HistoryCharts history={data} mappingId={search.mapping} onMapping={(mapping) => change({ mapping })} />
          )
        }
      </Answered>
    </Section>
  );
}
