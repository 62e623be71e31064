import { Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { mappingsQuery } from '../../api/queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useRoleName } from '../../guild/role-names.js';
import { useGroups } from '../../guild/use-groups.js';
import type { WordKey } from '../../i18n/words.js';
import { useWords } from '../../i18n/words-provider.js';
import { BarChart, type ChartKind, LineChart } from '../../parts/chart.js';
import { timeSteps } from '../../parts/chart-scale.js';
import type { Place } from '../../parts/chart-shapes.js';
import { Choice } from '../../parts/choice.js';
import { growthOf, type History, halvesOf, mappingOf, placesOf, sumOf } from './history-places.js';
import css from './overview.module.css';

interface HoldersProps {
  history: History;
  mappingId: string | undefined;
  onMapping: (mappingId: string) => unknown;
}

/** Five charts over the same days. A new server has one point in each, until its second day. */
export function HistoryCharts({ history, mappingId, onMapping }: HoldersProps) {
  const { t, day } = useWords();
  const isNew = history.since === history.series.at(-1)?.date;
  const isYounger = history.since !== history.series[0]?.date;
  return (
    <>
      {isYounger && (
        <p className={css.since}>{isNew ? t('history.first') : t('history.since', { day: day(history.since) })}</p>
      )}
      <div className={css.charts}>
        <LinkedChart history={history} />
        <VerificationsChart history={history} />
        <SyncsChart history={history} />
        <RanksChart history={history} />
        <HoldersChart history={history} mappingId={mappingId} onMapping={onMapping} />
      </div>
    </>
  );
}

/** A chart below its title; `compared` says how its numbers have changed. */
const Card = ({ title, compared, children }: { title: string; compared?: string | undefined; children: ReactNode }) => (
  <div className={css.chartCard}>
    <div>
      <Title order={3}>{title}</Title>
      {compared !== undefined && <span className={css.compared}>{compared}</span>}
    </div>
    {children}
  </div>
);

/** A level's change in the period: "+114 in 30 days". */
function useGrowth(places: readonly Place<string>[], kind: string): string | undefined {
  const { t, signed } = useWords();
  const growth = growthOf(places, kind);
  return growth === undefined ? undefined : t('history.grown', { change: signed(growth), count: places.length });
}

/** The period's newer half against the older: "+6% against the 14 days before". */
function useComparison(places: readonly Place<string>[], kind: string): string | undefined {
  const { t, signed } = useWords();
  const halves = halvesOf(places, kind);
  if (halves === undefined) return undefined;
  const change = signed(halves.newer / halves.older - 1, 'percent');
  return t('history.compared', { change, count: halves.days });
}

const Quiet = ({ children }: { children: ReactNode }) => <p className={css.quiet}>{children}</p>;

function LinkedChart({ history }: { history: History }) {
  const { t, day } = useWords();
  const title = t('overview.linked');
  const places = placesOf(history, { linked: 'linked' });
  const kinds = [{ kind: 'linked', tone: 'neutral', legend: title, column: title }] as const;
  return (
    <Card title={title} compared={useGrowth(places, 'linked')}>
      <LineChart places={places} kinds={kinds} label={title} nameOf={day} />
    </Card>
  );
}

const VerificationsChart = ({ history }: { history: History }) => {
  const { t } = useWords();
  return (
    <CountsChart
      title={t('overview.verifications')}
      places={placesOf(history, { done: 'verified', failed: 'verificationFailed' })}
      done={['overview.verified', 'overview.verified_count']}
      none="overview.no_verifications"
    />
  );
};

const SyncsChart = ({ history }: { history: History }) => {
  const { t } = useWords();
  return (
    <CountsChart
      title={t('history.syncs')}
      places={placesOf(history, { done: 'synced', failed: 'syncFailed' })}
      done={['history.changed', 'history.changed_count']}
      none="history.no_syncs"
    />
  );
};

/** Each day's successes and failures. */
function CountsChart(props: {
  title: string;
  places: readonly Place<'done' | 'failed'>[];
  /** The successes' heading and legend. */
  done: readonly [column: WordKey, legend: WordKey];
  none: WordKey;
}) {
  const { title, places, done, none } = props;
  const { t, day } = useWords();
  const compared = useComparison(places, 'done');
  const [count, failed] = [sumOf(places, 'done'), sumOf(places, 'failed')];
  const kinds: readonly ChartKind<'done' | 'failed'>[] = [
    { kind: 'done', tone: 'neutral', column: t(done[0]), legend: t(done[1], { count }) },
    {
      ...{ kind: 'failed', tone: 'bad', column: t('overview.failed') },
      legend: t('overview.failed_count', { count: failed }),
    },
  ];
  return (
    <Card title={title} compared={compared}>
      {count + failed > 0 ? (
        <BarChart places={places} kinds={kinds} label={title} nameOf={day} />
      ) : (
        <Quiet>{t(none)}</Quiet>
      )}
    </Card>
  );
}

function RanksChart({ history }: { history: History }) {
  const { t, day, duration } = useWords();
  const title = t('history.ranks');
  const places = placesOf(history, { age: 'rankAgeSeconds', target: 'rankTargetSeconds' });
  const kinds = [
    { kind: 'age', tone: 'neutral', legend: t('history.rank_age'), column: t('history.rank_age') },
    { kind: 'target', tone: 'open', legend: t('history.rank_target'), column: t('history.rank_target') },
  ] as const;
  return (
    <Card title={title}>
      {places.some(({ values }) => values.age !== null) ? (
        <LineChart places={places} kinds={kinds} label={title} nameOf={day} show={duration} steps={timeSteps} />
      ) : (
        <Quiet>{t('history.no_ranks')}</Quiet>
      )}
    </Card>
  );
}

function HoldersChart({ history, mappingId, onMapping }: HoldersProps) {
  const { t, day } = useWords();
  const nameOf = useMappingName();
  const title = t('history.holders');
  const mapping = mappingOf(history, mappingId);
  if (mapping === undefined) {
    return (
      <Card title={title}>
        <Quiet>{t('history.no_holders')}</Quiet>
      </Card>
    );
  }
  const places = history.series.map(({ date }, index) => ({
    key: date,
    values: { holding: mapping.holding[index] ?? null },
  }));
  const kinds = [{ kind: 'holding', tone: 'neutral', legend: nameOf(mapping), column: t('history.holding') }] as const;
  return (
    <Card title={title}>
      <Choice
        size="xs"
        className={css.mappingChoice ?? ''}
        aria-label={title}
        value={mapping.mappingId}
        options={history.mappings.map((each) => ({ value: each.mappingId, label: nameOf(each) }))}
        onChange={onMapping}
      />
      <LineChart places={places} kinds={kinds} label={`${title}: ${nameOf(mapping)}`} nameOf={day} />
    </Card>
  );
}

/** A mapping's name, else its roles; for a whole group, which may have neither, the group's name. */
export function useMappingName() {
  const words = useWords();
  const roleName = useRoleName();
  const groups = useGroups();
  const { data: mappings = [] } = useQuery(mappingsQuery(useGuild().guildId));
  return ({ mappingId, name, roleIds }: History['mappings'][number]): string => {
    if (name !== null) return name;
    if (roleIds.length > 0) return words.list(roleIds.map(roleName));
    const condition = mappings.find((each) => each.mappingId === mappingId)?.condition;
    const group = condition !== undefined && 'groupId' in condition ? groups.get(condition.groupId) : undefined;
    return group?.name ?? words.t('mapping.of_same_name');
  };
}
