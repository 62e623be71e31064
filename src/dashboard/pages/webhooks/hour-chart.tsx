import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/api-types.js';
import { statisticsQuery } from '../../api/webhook-queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { BarChart } from '../../parts/chart.js';
import { ChartTable, useAsTable } from '../../parts/chart-table.js';
import { Section } from '../../parts/page.js';
import { Answered } from '../../parts/states.js';
import css from './webhooks.module.css';

type Statistics = Schemas['DeliveryStatistics'];

const tones = [
  { kind: 'succeeded', tone: 'good' },
  { kind: 'failed', tone: 'bad' },
  { kind: 'open', tone: 'open' },
] as const;

/** The results of 24 hours of deliveries, as bars and as a table. */
export function HourChart({ webhookId }: { webhookId: string }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const statistics = useQuery(statisticsQuery(guildId, webhookId));
  const [asTable, toggle] = useAsTable();
  return (
    <Section title={t('webhook.day')} actions={toggle} plain={asTable}>
      <Answered query={statistics} shape={[['charts', 1]]}>
        {(data) => <Hours statistics={data} asTable={asTable} />}
      </Answered>
    </Section>
  );
}

function Hours({ statistics: { total, series }, asTable }: { statistics: Statistics; asTable: boolean }) {
  const { t, time } = useWords();
  const places = series.map(({ at, ...values }) => ({ key: at, values }));
  const kinds = tones.map(({ kind, tone }) => ({
    kind,
    tone,
    legend: t(`webhook.count_${kind}`, { count: total[kind] }),
    column: t(`webhook.column_${kind}`),
  }));
  if (asTable) {
    return (
      <ChartTable
        places={places}
        kinds={kinds}
        label={t('webhook.day_table')}
        place={t('webhook.hour')}
        nameOf={time}
      />
    );
  }
  if (kinds.every(({ kind }) => total[kind] === 0)) return <p className={css.quiet}>{t('webhook.day_none')}</p>;
  return <BarChart places={places} kinds={kinds} label={t('webhook.day_words', total)} nameOf={time} />;
}
