import { useQuery } from '@tanstack/react-query';
import { type DeliveryStatistics, statisticsQuery } from '../../api/webhook-queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { BarChart, SmallBars } from '../../parts/chart.js';
import { ChartTable, useAsTable } from '../../parts/chart-table.js';
import { Section } from '../../parts/page.js';
import { Answered } from '../../parts/states.js';
import css from './webhooks.module.css';

const tones = [
  { kind: 'succeeded', tone: 'good' },
  { kind: 'failed', tone: 'bad' },
  { kind: 'open', tone: 'open' },
] as const;

/** The last 24 hours' delivery results, as bars and as a table. */
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

const placesOf = (series: DeliveryStatistics['series']) => series.map(({ at, ...values }) => ({ key: at, values }));

/** The 24-hour success rate with its bars in small, as the webhook list shows them. */
export function DayInSmall({ statistics: { total, series } }: { statistics: DeliveryStatistics }) {
  const { t, percent } = useWords();
  const { succeeded, failed } = total;
  const isEmpty = tones.every(({ kind }) => total[kind] === 0);
  return (
    <>
      {!isEmpty && <SmallBars places={placesOf(series)} kinds={tones} label={t('webhook.day_words', total)} />}
      {succeeded + failed > 0 && (
        <span className={failed > succeeded ? css.bad : css.quiet}>
          {t('webhook.rate', { share: percent(succeeded / (succeeded + failed)) })}
        </span>
      )}
    </>
  );
}

function Hours({ statistics: { total, series }, asTable }: { statistics: DeliveryStatistics; asTable: boolean }) {
  const { t, time } = useWords();
  const places = placesOf(series);
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
