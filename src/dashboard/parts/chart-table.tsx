import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useWords } from '../i18n/words-provider.js';
import { shown } from './chart.js';
import type { Place } from './chart-shapes.js';
import { ScrollTable } from './scroll-table.js';
import { Table } from './table.js';

/** A column in a chart's table. */
export interface ChartColumn<Kind extends string> {
  kind: Kind;
  column: string;
  /** A number in words; a plain number by default. */
  show?: (value: number) => string;
}

/** Charts' numbers as a table, newest first. */
export function ChartTable<Kind extends string>(props: {
  places: readonly Place<Kind>[];
  kinds: readonly ChartColumn<Kind>[];
  label: string;
  /** The heading of the places, and the name of one. */
  place: string;
  nameOf: (key: string) => string;
}) {
  const { places, kinds, label, place, nameOf } = props;
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
        {[...places].reverse().map(({ key, values }) => (
          <Table.Tr key={key}>
            <Table.Td>{nameOf(key)}</Table.Td>
            {kinds.map(({ kind, show = number }) => (
              <Table.Td key={kind}>{shown(values[kind], show)}</Table.Td>
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
