import type { Schemas } from '../../api/api-types.js';
import { useWords } from '../../i18n/words-provider.js';
import { BarChart, ChartTable, useAsTable } from '../../parts/bar-chart.js';
import { Section } from '../../parts/page.js';
import css from './overview.module.css';

type Day = Schemas['GuildOverview']['series'][number];

/** The verifications of 30 days as bars, and the same as a table. */
export function DayChart({ series }: { series: readonly Day[] }) {
  const { t, day, number } = useWords();
  const [asTable, toggle] = useAsTable();
  const sum = (of: 'verified' | 'verificationFailed') => series.reduce((total, each) => total + each[of], 0);
  const [verified, failed] = [sum('verified'), sum('verificationFailed')];
  if (verified + failed === 0) {
    return (
      <Section title={t('overview.verifications')}>
        <p className={css.quiet}>{t('overview.no_verifications')}</p>
      </Section>
    );
  }
  const stacks = series.map(({ date, ...counted }) => ({
    key: date,
    counts: { verified: counted.verified, failed: counted.verificationFailed },
  }));
  const kinds = [
    {
      kind: 'verified',
      tone: 'neutral',
      legend: t('overview.verified_count', { count: verified }),
      column: t('overview.verified'),
    },
    {
      kind: 'failed',
      tone: 'bad',
      legend: t('overview.failed_count', { count: failed }),
      column: t('overview.failed'),
    },
  ] as const;
  return (
    <Section title={t('overview.verifications')} actions={toggle} plain={asTable}>
      {asTable ? (
        <ChartTable
          stacks={stacks}
          kinds={kinds}
          label={t('overview.verifications')}
          place={t('overview.day')}
          nameOf={day}
        />
      ) : (
        <BarChart
          stacks={stacks}
          kinds={kinds}
          words={t('overview.chart_words', { verified, failed })}
          most={(top) => t('overview.most', { number: number(top) })}
          from={day(series[0]?.date ?? '')}
          to={day(series.at(-1)?.date ?? '')}
        />
      )}
    </Section>
  );
}
