import type { Schemas } from '../../../client/api-types.js';
import { useWords } from '../../i18n/words-provider.js';
import { Figure, FigureList } from '../../parts/figure.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { Table } from '../../parts/table.js';
import css from './people.module.css';

export type PeopleImport = Schemas['PeopleImport'];

const names = [
  ...['new', 'imported', 'known', 'unknown'],
  ...['contradicting', 'refused', 'not_in_server', 'not_found'],
] as const satisfies readonly string[];
type CountName = 'new' | 'imported' | 'known' | 'unknown' | PeopleImport['problems'][number]['problem'];

/** At least one minute, also for a shorter wait. */
export const minutesOf = (seconds: number): number => Math.max(1, Math.ceil(seconds / 60));

/** Pair counts by result, for an import or its dry run. Zeros are left out, except for imported pairs. */
export function ImportCounts({ counts, label }: { counts: Partial<Record<CountName, number>>; label: string }) {
  const { t, number } = useWords();
  const shown = (names as readonly CountName[]).flatMap((name) => {
    const count = counts[name];
    const isMain = name === 'new' || name === 'imported';
    return count === undefined || (count === 0 && !isMain) ? [] : [{ name, count }];
  });
  return (
    <FigureList label={label}>
      {shown.map(({ name, count }) => (
        <Figure key={name} name={t(`people.count_${name}`)} value={number(count)} />
      ))}
    </FigureList>
  );
}

export function ImportProblems({ problems }: { problems: PeopleImport['problems'] }) {
  const { t } = useWords();
  if (problems.length === 0) return null;
  return (
    <>
      <h3 className={css.heading}>{t('people.problems')}</h3>
      <ScrollTable label={t('people.problems')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('people.discord')}</Table.Th>
            <Table.Th scope="col">{t('people.roblox')}</Table.Th>
            <Table.Th scope="col">{t('differences.why')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {problems.map(({ chatUserId, gameUserId, problem }) => (
            <Table.Tr key={`${chatUserId} ${gameUserId}`}>
              <Table.Td>{chatUserId}</Table.Td>
              <Table.Td>{gameUserId}</Table.Td>
              <Table.Td>{t(`people.count_${problem}`)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </ScrollTable>
    </>
  );
}
