import { Button, Table } from '@mantine/core';
import { useState } from 'react';
import { useWords } from '../../i18n/words-provider.js';
import { Section } from '../../parts/page.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { barsOf, type Day, viewHeight, viewWidth } from './chart-bars.js';
import css from './overview.module.css';

/** The verifications of 30 days as bars, and the same as a table. */
export function DayChart({ series }: { series: readonly Day[] }) {
  const { t, day, number } = useWords();
  const [asTable, setAsTable] = useState(false);
  const sum = (of: 'verified' | 'verificationFailed') => series.reduce((total, each) => total + each[of], 0);
  const [verified, failed] = [sum('verified'), sum('verificationFailed')];
  const { bars, top } = barsOf(series);
  const toggle = (
    <Button size="xs" variant="default" onClick={() => setAsTable(!asTable)}>
      {t(asTable ? 'overview.as_chart' : 'overview.as_table')}
    </Button>
  );
  if (top === 0) {
    return (
      <Section title={t('overview.verifications')}>
        <p className={css.quiet}>{t('overview.no_verifications')}</p>
      </Section>
    );
  }
  return (
    <Section title={t('overview.verifications')} actions={toggle} plain={asTable}>
      {asTable ? (
        <DayTable series={series} />
      ) : (
        <figure className={css.chart}>
          <svg
            viewBox={`0 0 ${viewWidth} ${viewHeight}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={t('overview.chart_words', { verified, failed })}
          >
            {bars.map(({ key, x, y, width, height, kind }) => (
              <rect key={key} x={x} y={y} width={width} height={height} className={css[kind]} />
            ))}
          </svg>
          <figcaption className={css.caption}>
            <span>{day(series[0]?.date ?? '')}</span>
            <span className={css.legend}>
              <span className={`${css.dot} ${css.verified}`} aria-hidden="true" />{' '}
              {t('overview.verified_count', { count: verified })}
              <span className={`${css.dot} ${css.failed}`} aria-hidden="true" />{' '}
              {t('overview.failed_count', { count: failed })}
              <span>{t('overview.most', { number: number(top) })}</span>
            </span>
            <span>{day(series.at(-1)?.date ?? '')}</span>
          </figcaption>
        </figure>
      )}
    </Section>
  );
}

function DayTable({ series }: { series: readonly Day[] }) {
  const { t, day, number } = useWords();
  return (
    <ScrollTable label={t('overview.verifications')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{t('overview.day')}</Table.Th>
          <Table.Th scope="col">{t('overview.verified')}</Table.Th>
          <Table.Th scope="col">{t('overview.failed')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {[...series].reverse().map(({ date, verified, verificationFailed }) => (
          <Table.Tr key={date}>
            <Table.Td>{day(date)}</Table.Td>
            <Table.Td>{number(verified)}</Table.Td>
            <Table.Td>{number(verificationFailed)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </ScrollTable>
  );
}
