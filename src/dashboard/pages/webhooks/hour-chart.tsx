import { Button, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../api/api-types.js';
import { statisticsQuery } from '../../api/webhook-queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { Section } from '../../parts/page.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { Answered } from '../../parts/states.js';
import { barsOf, kinds, viewHeight, viewWidth } from './hour-bars.js';
import css from './webhooks.module.css';

type Statistics = Schemas['DeliveryStatistics'];

/** What became of the deliveries of 24 hours, as bars and as a table. */
export function HourChart({ webhookId }: { webhookId: string }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const statistics = useQuery(statisticsQuery(guildId, webhookId));
  const [asTable, setAsTable] = useState(false);
  const toggle = (
    <Button size="xs" variant="default" onClick={() => setAsTable(!asTable)}>
      {t(asTable ? 'overview.as_chart' : 'overview.as_table')}
    </Button>
  );
  return (
    <Section title={t('webhook.day')} actions={toggle} plain={asTable}>
      <Answered query={statistics} lines={3}>
        {(data) => (asTable ? <HourTable series={data.series} /> : <Bars statistics={data} />)}
      </Answered>
    </Section>
  );
}

function Bars({ statistics: { total, series } }: { statistics: Statistics }) {
  const { t, time, number } = useWords();
  const { bars, top } = barsOf(series);
  if (top === 0) return <p className={css.quiet}>{t('webhook.day_none')}</p>;
  return (
    <figure className={css.chart}>
      <svg
        viewBox={`0 0 ${viewWidth} ${viewHeight}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t('webhook.day_words', total)}
      >
        {bars.map(({ key, kind, ...place }) => (
          <rect key={key} {...place} className={css[kind]} />
        ))}
      </svg>
      <figcaption className={css.caption}>
        <span>{time(series[0]?.at ?? '')}</span>
        <span className={css.legend}>
          {kinds.map((kind) => (
            <span key={kind} className={css.legend}>
              <span className={`${css.dot} ${css[kind]}`} aria-hidden="true" />
              {t(`webhook.count_${kind}`, { count: total[kind] })}
            </span>
          ))}
          <span>{t('webhook.most', { number: number(top) })}</span>
        </span>
      </figcaption>
    </figure>
  );
}

function HourTable({ series }: { series: Statistics['series'] }) {
  const { t, time, number } = useWords();
  return (
    <ScrollTable label={t('webhook.day_table')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{t('webhook.hour')}</Table.Th>
          {kinds.map((kind) => (
            <Table.Th key={kind} scope="col">
              {t(`webhook.column_${kind}`)}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {[...series].reverse().map((hour) => (
          <Table.Tr key={hour.at}>
            <Table.Td>{time(hour.at)}</Table.Td>
            {kinds.map((kind) => (
              <Table.Td key={kind}>{number(hour[kind])}</Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </ScrollTable>
  );
}
