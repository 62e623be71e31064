import { Button, Table } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useWords } from '../i18n/words-provider.js';
import css from './bar-chart.module.css';
import { barsOf, type Stack, viewHeight, viewWidth } from './chart-bars.js';
import { ScrollTable } from './scroll-table.js';

/** One kind of counted things: its colour, its legend, and the heading of its column. */
export interface ChartKind<Kind extends string> {
  kind: Kind;
  tone: 'neutral' | 'good' | 'bad' | 'open';
  legend: string;
  column: string;
}

/** Numbers over time as stacked bars, oldest first. `words` describes the drawing for screen readers. */
export function BarChart<Kind extends string>(props: {
  stacks: readonly Stack<Kind>[];
  kinds: readonly ChartKind<Kind>[];
  words: string;
  /** The words for the value of the highest stack. */
  most: (top: number) => string;
  from: string;
  to: string;
}) {
  const { stacks, kinds, words, most, from, to } = props;
  const { bars, top } = barsOf(
    stacks,
    kinds.map(({ kind }) => kind),
  );
  const toneOf = (kind: Kind) => kinds.find((each) => each.kind === kind)?.tone ?? 'neutral';
  return (
    <figure className={css.chart}>
      <svg viewBox={`0 0 ${viewWidth} ${viewHeight}`} preserveAspectRatio="none" role="img" aria-label={words}>
        {bars.map(({ key, kind, ...place }) => (
          <rect key={key} {...place} className={css[toneOf(kind)]} />
        ))}
      </svg>
      <figcaption className={css.caption}>
        <span>{from}</span>
        <span className={css.legend}>
          {kinds.map(({ kind, tone, legend }) => (
            <span key={kind} className={css.entry}>
              <span className={`${css.dot} ${css[tone]}`} aria-hidden="true" />
              {legend}
            </span>
          ))}
          <span>{most(top)}</span>
        </span>
        <span>{to}</span>
      </figcaption>
    </figure>
  );
}

/** The chart's numbers as a table, newest first. */
export function ChartTable<Kind extends string>(props: {
  stacks: readonly Stack<Kind>[];
  kinds: readonly ChartKind<Kind>[];
  label: string;
  /** The heading of the places, and the name of one. */
  place: string;
  nameOf: (key: string) => string;
}) {
  const { stacks, kinds, label, place, nameOf } = props;
  const { number } = useWords();
  return (
    <ScrollTable label={label}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{place}</Table.Th>
          {kinds.map(({ kind, column }) => (
            <Table.Th key={kind} scope="col">
              {column}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {[...stacks].reverse().map(({ key, counts }) => (
          <Table.Tr key={key}>
            <Table.Td>{nameOf(key)}</Table.Td>
            {kinds.map(({ kind }) => (
              <Table.Td key={kind}>{number(counts[kind])}</Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </ScrollTable>
  );
}

/** Whether a chart is shown as a table, and the button to switch. */
export function useAsTable(): [asTable: boolean, toggle: ReactNode] {
  const { t } = useWords();
  const [asTable, setAsTable] = useState(false);
  const toggle = (
    <Button size="xs" variant="default" onClick={() => setAsTable(!asTable)}>
      {t(asTable ? 'overview.as_chart' : 'overview.as_table')}
    </Button>
  );
  return [asTable, toggle];
}
