import { useWords } from '../../i18n/words-provider.js';
import { ChartTable } from '../../parts/chart-table.js';
import { useMappingName } from './history-charts.js';
import { type History, mappingOf, placesOf } from './history-places.js';

/** All charts as one table, with the chosen mapping's holders. */
export function HistoryTable({ history, mappingId }: { history: History; mappingId: string | undefined }) {
  const { t, day, duration } = useWords();
  const nameOf = useMappingName();
  const mapping = mappingOf(history, mappingId);
  const places = placesOf(history, {
    ...{ linked: 'linked', verified: 'verified', unverified: 'verificationFailed', changed: 'synced' },
    ...{ failed: 'syncFailed', age: 'rankAgeSeconds', target: 'rankTargetSeconds' },
  } as const);
  const withHolders = places.map(({ key, values }, index) => ({
    key,
    values: { ...values, holding: mapping?.holding[index] ?? null },
  }));
  const [verifications, syncs, ranks] = [t('overview.verifications'), t('history.syncs'), t('history.ranks')];
  const kinds = [
    { kind: 'linked', column: t('overview.linked') },
    { kind: 'verified', column: t('overview.verified') },
    { kind: 'unverified', column: `${verifications}: ${t('overview.failed')}` },
    { kind: 'changed', column: `${syncs}: ${t('history.changed')}` },
    { kind: 'failed', column: `${syncs}: ${t('overview.failed')}` },
    { kind: 'age', column: ranks, show: duration },
    { kind: 'target', column: t('history.rank_target'), show: duration },
    ...(mapping === undefined ? [] : [{ kind: 'holding' as const, column: nameOf(mapping) }]),
  ] as const;
  const label = t('history.days', { count: places.length });
  return <ChartTable places={withHolders} kinds={kinds} label={label} place={t('overview.day')} nameOf={day} />;
}
