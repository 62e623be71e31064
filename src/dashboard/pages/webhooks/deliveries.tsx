import { Button, Table } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type Delivery, type DeliveryFilter, deliveriesQuery, type Webhook } from '../../api/webhook-queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { ChoiceOrNone } from '../../parts/choice.js';
import { TextLink } from '../../parts/link-button.js';
import { Section } from '../../parts/page.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { StateWord } from '../../parts/state-word.js';
import { Empty, Failed, Waiting } from '../../parts/states.js';
import { RedeliverFailed } from './redeliver-failed.js';
import { deliveryStates, events, outcomeWords, toneOfState } from './webhook-words.js';
import css from './webhooks.module.css';

/** The deliveries of an endpoint, newest first, filtered in the address. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { t } = useWords();
  const filter = useSearch({ from: '/g/$guildId/webhooks/$webhookId' });
  return (
    <Section title={t('webhook.deliveries')} actions={<RedeliverFailed webhook={webhook} />} plain>
      <Filters filter={filter} />
      <Rows webhookId={webhook.webhookId} filter={filter} />
    </Section>
  );
}

function Filters({ filter: { state, event } }: { filter: DeliveryFilter }) {
  const { t } = useWords();
  const navigate = useNavigate({ from: '/g/$guildId/webhooks/$webhookId' });
  const change = (search: DeliveryFilter) => navigate({ search, replace: true, resetScroll: false });
  const chosenEvent = event === undefined ? {} : { event };
  const chosenState = state === undefined ? {} : { state };
  return (
    <search className={css.filters}>
      <ChoiceOrNone
        label={t('delivery.state')}
        none={t('delivery.any')}
        value={state}
        options={deliveryStates.map((value) => ({ value, label: t(`delivery.${value}`) }))}
        onChange={(wanted) => change({ ...chosenEvent, ...(wanted && { state: wanted }) })}
      />
      <ChoiceOrNone
        label={t('delivery.event')}
        none={t('delivery.any')}
        value={event}
        options={events.map((value) => ({ value, label: value }))}
        onChange={(wanted) => change({ ...chosenState, ...(wanted && { event: wanted }) })}
      />
    </search>
  );
}

function Rows({ webhookId, filter }: { webhookId: string; filter: DeliveryFilter }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const deliveries = useInfiniteQuery(deliveriesQuery(guildId, webhookId, filter));
  if (deliveries.isPending) return <Waiting lines={6} />;
  if (deliveries.isError) return <Failed error={deliveries.error} onRetry={deliveries.refetch} />;
  const all = deliveries.data.pages.flatMap(({ data }) => data);
  if (all.length === 0) return <Empty title={t('delivery.none')}>{t('delivery.none_why')}</Empty>;
  return (
    <>
      <DeliveryTable deliveries={all} />
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

function DeliveryTable({ deliveries }: { deliveries: readonly Delivery[] }) {
  const { t } = useWords();
  return (
    <ScrollTable label={t('delivery.table')}>
      <Table.Thead>
        <Table.Tr>
          {(['event', 'state', 'made', 'answer', 'attempts'] as const).map((name) => (
            <Table.Th key={name} scope="col">
              {t(`delivery.${name}`)}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {deliveries.map((delivery) => (
          <Row key={delivery.deliveryId} delivery={delivery} />
        ))}
      </Table.Tbody>
    </ScrollTable>
  );
}

function Row({ delivery }: { delivery: Delivery }) {
  const words = useWords();
  const { t } = words;
  const { guildId } = useGuild();
  const { webhookId, deliveryId, event, state, test, createdAt, lastAttempt, attemptCount } = delivery;
  return (
    <Table.Tr>
      <Table.Td>
        <TextLink to="/g/$guildId/webhooks/$webhookId/$deliveryId" params={{ guildId, webhookId, deliveryId }}>
          {event}
        </TextLink>
        {test && ` (${t('delivery.test')})`}
      </Table.Td>
      <Table.Td>
        <StateWord tone={toneOfState[state]}>{t(`delivery.${state}`)}</StateWord>
      </Table.Td>
      <Table.Td>
        <time dateTime={createdAt}>{words.time(createdAt)}</time>
      </Table.Td>
      <Table.Td>{lastAttempt === null ? '–' : outcomeWords(lastAttempt, words)}</Table.Td>
      <Table.Td>{words.number(attemptCount)}</Table.Td>
    </Table.Tr>
  );
}
