import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import {
  type Delivery,
  type DeliveryFilter,
  type DeliveryList,
  deliveriesQuery,
  deliverySpans,
  newestDeliveryQuery,
  statisticsQuery,
  type Webhook,
  webhookQuery,
} from '../../api/webhook-queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { ChoiceOrNone } from '../../parts/choice.js';
import { TextLink } from '../../parts/link-button.js';
import { isoIn, useSecond } from '../../parts/now.js';
import { Section } from '../../parts/page.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { StateWord } from '../../parts/state-word.js';
import { Empty, Failed } from '../../parts/states.js';
import { Table } from '../../parts/table.js';
import { TickBox } from '../../parts/tick-box.js';
import { Waiting } from '../../parts/waiting.js';
import { deliverySearch } from './delivery-search.js';
import { deliveryStates, events, isStopped, outcomeWords, toneOfState } from './webhook-words.js';
import css from './webhooks.module.css';

const ReplayDeliveries = lazy(async () => ({ default: (await import('./replay-deliveries.js')).ReplayDeliveries }));
const SelectedDeliveries = lazy(async () => ({
  default: (await import('./selected-deliveries.js')).SelectedDeliveries,
}));

/** An endpoint's deliveries, newest first, filtered in the address. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { t } = useWords();
  const filter = deliverySearch(useSearch({ strict: false }));
  return (
    <Section title={t('webhook.deliveries')} actions={<Replay webhookId={webhook.webhookId} />} plain>
      <Filters webhookId={webhook.webhookId} filter={filter} />
      <Rows webhookId={webhook.webhookId} filter={filter} />
    </Section>
  );
}

function Replay({ webhookId }: { webhookId: string }) {
  const { t } = useWords();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        {t('redeliver.open')}
      </Button>
      {asking && (
        <Suspense>
          <ReplayDeliveries webhookId={webhookId} onClose={() => setAsking(false)} />
        </Suspense>
      )}
    </>
  );
}

function Filters({ webhookId, filter }: { webhookId: string; filter: DeliveryFilter }) {
  const { state, event, within } = filter;
  const { t } = useWords();
  const { guildId } = useGuild();
  const navigate = useNavigate();
  const change = (name: keyof DeliveryFilter, value: string | undefined) => {
    const { [name]: _, ...others } = filter;
    const search = { ...others, ...(value && { [name]: value }) };
    const params = { guildId, webhookId };
    return navigate({ to: '/g/$guildId/webhooks/$webhookId', params, search, replace: true, resetScroll: false });
  };
  return (
    <search className={css.filters}>
      <ChoiceOrNone
        label={t('delivery.state')}
        none={t('delivery.any')}
        value={state}
        options={deliveryStates.map((value) => ({ value, label: t(`delivery.${value}`) }))}
        onChange={(wanted) => change('state', wanted)}
      />
      <ChoiceOrNone
        label={t('delivery.event')}
        none={t('delivery.any')}
        value={event}
        options={events.map((value) => ({ value, label: `${value} · ${t(`event.${value}`)}` }))}
        onChange={(wanted) => change('event', wanted)}
      />
      <ChoiceOrNone
        label={t('history.period')}
        none={t('delivery.any')}
        value={within}
        options={deliverySpans.map((value) => ({ value, label: t(`delivery.within_${value}`) }))}
        onChange={(wanted) => change('within', wanted)}
      />
    </search>
  );
}

function Rows({ webhookId, filter }: { webhookId: string; filter: DeliveryFilter }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const list = { guildId, webhookId, filter, isoIn };
  const deliveries = useInfiniteQuery(deliveriesQuery(list));
  useFollowedBy(list, deliveries.data);
  if (deliveries.isPending) return <Waiting shape={[['table', 6]]} />;
  if (deliveries.isError) return <Failed error={deliveries.error} onRetry={deliveries.refetch} />;
  const all = deliveries.data.pages.flatMap(({ data }) => data);
  if (all.length === 0) return <Empty title={t('delivery.none')}>{t('delivery.none_why')}</Empty>;
  return (
    <>
      {deliveries.data.pages.length > 1 && <NewerDeliveries list={list} newest={all[0]?.deliveryId} />}
      <DeliveryTable webhookId={webhookId} deliveries={all} />
      {deliveries.hasNextPage && (
        <Button
          variant="default"
          mt="md"
          loading={deliveries.isFetchingNextPage}
          onClick={() => deliveries.fetchNextPage()}
        >
          {t('list.more')}
        </Button>
      )}
    </>
  );
}

/** Lets the rest of the page follow as soon as the list has changed. */
function useFollowedBy({ guildId, webhookId }: DeliveryList, deliveries: unknown): void {
  const queryClient = useQueryClient();
  const last = useRef(deliveries);
  useEffect(() => {
    const isNews = last.current !== undefined && last.current !== deliveries;
    last.current = deliveries;
    if (!isNews) return;
    for (const { queryKey } of [webhookQuery(guildId, webhookId), statisticsQuery(guildId, webhookId)])
      void queryClient.invalidateQueries({ queryKey });
  }, [deliveries, guildId, webhookId, queryClient]);
}

/** Offers a reader of further pages the deliveries that were made meanwhile. */
function NewerDeliveries({ list, newest }: { list: DeliveryList; newest: string | undefined }) {
  const { t } = useWords();
  const queryClient = useQueryClient();
  const { queryKey } = deliveriesQuery(list);
  const { data } = useQuery(newestDeliveryQuery(list));
  const show = () => {
    // The selection stays: only further pages go.
    queryClient.setQueryData(
      queryKey,
      (known) => known && { pages: known.pages.slice(0, 1), pageParams: known.pageParams.slice(0, 1) },
    );
    return queryClient.invalidateQueries({ queryKey });
  };
  return (
    <div role="status">
      {data != null && newest !== undefined && data > newest && (
        <Button size="xs" variant="light" mb="sm" onClick={show}>
          {t('delivery.show_new')}
        </Button>
      )}
    </div>
  );
}

/** Only a completed delivery can be sent again. */
const isOver = ({ state }: Delivery): boolean => state === 'succeeded' || state === 'failed';

function DeliveryTable({ webhookId, deliveries }: { webhookId: string; deliveries: readonly Delivery[] }) {
  const { t } = useWords();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const offered = deliveries.filter(isOver).map(({ deliveryId }) => deliveryId);
  const selected = new Set(offered.filter((id) => chosen.has(id)));
  const select = (id: string, isChosen: boolean) =>
    setChosen(new Set(isChosen ? [...selected, id] : [...selected].filter((each) => each !== id)));
  return (
    <>
      {selected.size > 0 && (
        <Suspense>
          <SelectedDeliveries webhookId={webhookId} ids={selected} onClear={() => setChosen(new Set())} />
        </Suspense>
      )}
      <ScrollTable label={t('delivery.table')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">
              <span className={css.chosen}>
                <TickBox
                  aria-label={t('delivery.select_all')}
                  disabled={offered.length === 0}
                  checked={selected.size > 0 && selected.size === offered.length}
                  indeterminate={selected.size > 0 && selected.size < offered.length}
                  onChange={({ currentTarget: { checked } }) => setChosen(new Set(checked ? offered : []))}
                />
                {t('delivery.event')}
              </span>
            </Table.Th>
            {(['state', 'made', 'answer', 'duration', 'attempts'] as const).map((name) => (
              <Table.Th key={name} scope="col">
                {t(`delivery.${name}`)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {deliveries.map((delivery) => (
            <Row
              key={delivery.deliveryId}
              delivery={delivery}
              isChosen={selected.has(delivery.deliveryId)}
              onChoose={(isChosen) => select(delivery.deliveryId, isChosen)}
            />
          ))}
        </Table.Tbody>
      </ScrollTable>
    </>
  );
}

/** When a delivery is made again; nothing once that is due, or while its endpoint gets nothing. */
function NextAttempt({ webhookId, at }: { webhookId: string; at: string }) {
  const { t, until } = useWords();
  const { guildId } = useGuild();
  const now = useSecond();
  const { data: webhook } = useQuery(webhookQuery(guildId, webhookId));
  if (Date.parse(at) <= now || (webhook !== undefined && isStopped(webhook.value))) return null;
  return <span className={css.next}>{t('delivery.next_in', { when: until(at, now) })}</span>;
}

interface RowProps {
  delivery: Delivery;
  isChosen: boolean;
  onChoose: (isChosen: boolean) => void;
}

function Row({ delivery, isChosen, onChoose }: RowProps) {
  const words = useWords();
  const { t } = words;
  const { guildId } = useGuild();
  const { webhookId, deliveryId, event, state, test, createdAt, lastAttempt, attemptCount, nextAttemptAt } = delivery;
  return (
    <Table.Tr>
      <Table.Td>
        <span className={css.chosen}>
          <TickBox
            aria-label={t('delivery.select', { event, at: words.time(createdAt) })}
            disabled={!isOver(delivery)}
            checked={isChosen}
            onChange={({ currentTarget: { checked } }) => onChoose(checked)}
          />
          <span>
            <TextLink to="/g/$guildId/webhooks/$webhookId/$deliveryId" params={{ guildId, webhookId, deliveryId }}>
              {event}
            </TextLink>
            {test && ` (${t('delivery.test')})`}
          </span>
        </span>
      </Table.Td>
      <Table.Td>
        <StateWord tone={toneOfState[state]}>{t(`delivery.${state}`)}</StateWord>
        {state === 'retrying' && nextAttemptAt !== null && <NextAttempt webhookId={webhookId} at={nextAttemptAt} />}
      </Table.Td>
      <Table.Td>
        <time dateTime={createdAt}>{words.time(createdAt)}</time>
      </Table.Td>
      <Table.Td>{lastAttempt === null ? '–' : outcomeWords(lastAttempt, words)}</Table.Td>
      <Table.Td>{lastAttempt?.latencyMs == null ? '–' : t('delivery.latency', { ms: lastAttempt.latencyMs })}</Table.Td>
      <Table.Td>{words.number(attemptCount)}</Table.Td>
    </Table.Tr>
  );
}
