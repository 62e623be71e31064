import { Alert, Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { answerOf, api } from '../../api/client.js';
import {
  type AttemptDetail,
  type DeliveryDetail,
  deliveryQuery,
  webhookKey,
  webhookQuery,
} from '../../api/webhook-queries.js';
import { pageShapes } from '../../frame/page-shapes.js';
import { ForRole } from '../../guild/for-role.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { CodeText } from '../../parts/code-text.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Facts } from '../../parts/facts.js';
import { TextLink } from '../../parts/link-button.js';
import { useSecond } from '../../parts/now.js';
import { Page, Section } from '../../parts/page.js';
import { StateWord } from '../../parts/state-word.js';
import { Answered, Empty, Failed } from '../../parts/states.js';
import { curlLine } from './curl-line.js';
import { isStopped, outcomeWords, prettyJson, standingOf, toneOfState } from './webhook-words.js';
import css from './webhooks.module.css';

/** One delivery: its state, every attempt with the answer, and the request. */
export function DeliveryPage() {
  const { t } = useWords();
  return (
    <ForRole least="admin" title={t('delivery.title')}>
      <DeliveryWhole />
    </ForRole>
  );
}

function DeliveryWhole() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const { webhookId, deliveryId } = useParams({ from: '/g/$guildId/webhooks/$webhookId/$deliveryId' });
  const delivery = useQuery(deliveryQuery(guildId, webhookId, deliveryId));
  const back = (
    <TextLink to="/g/$guildId/webhooks/$webhookId" params={{ guildId, webhookId }}>
      {t('delivery.back')}
    </TextLink>
  );
  return (
    <Page title={delivery.data?.event ?? t('delivery.title')} actions={back}>
      <Answered query={delivery} shape={pageShapes.delivery.parts}>
        {(data) => (
          <>
            <State delivery={data} />
            <Attempts attempts={data.attempts} />
            <Section
              title={t('delivery.body')}
              actions={
                <div className={css.buttons}>
                  <CopyCurl delivery={data} />
                  <CopyButton text={data.body} what={t('delivery.body')} />
                </div>
              }
            >
              <CodeText>{prettyJson(data.body)}</CodeText>
            </Section>
          </>
        )}
      </Answered>
    </Page>
  );
}

/** The last request as a line for curl, while the endpoint is known. */
function CopyCurl({ delivery: { webhookId, attempts, body } }: { delivery: DeliveryDetail }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const { data: webhook } = useQuery(webhookQuery(guildId, webhookId));
  const headers = attempts.findLast(({ requestHeaders }) => requestHeaders !== null)?.requestHeaders;
  if (webhook === undefined || !headers) return null;
  return (
    <CopyButton
      text={curlLine(webhook.value.url, headers, body)}
      what={t('delivery.curl')}
      label={t('delivery.curl')}
    />
  );
}

function State({ delivery }: { delivery: DeliveryDetail }) {
  const { t, time } = useWords();
  const { webhookId, state, test, createdAt, nextAttemptAt, failureReason, deliveryId, eventId } = delivery;
  const facts = [
    ['delivery.made', time(createdAt)],
    ...(nextAttemptAt === null
      ? []
      : ([['delivery.next', <NextAttempt key="next" webhookId={webhookId} at={nextAttemptAt} />]] as const)),
    ['delivery.id', deliveryId],
    ['delivery.event_id', eventId],
  ] as const;
  return (
    <Section title={t('delivery.state')} actions={<Redeliver delivery={delivery} />}>
      <p className={css.state}>
        <StateWord tone={toneOfState[state]}>{t(`delivery.${state}`)}</StateWord>
      </p>
      {test && <p className={css.words}>{t('delivery.is_test')}</p>}
      {failureReason !== null && <p className={css.words}>{t(`delivery.why_${failureReason}`)}</p>}
      <Facts facts={facts.map(([name, value]) => [t(name), value])} />
    </Section>
  );
}

/** When a delivery is made again, or why its endpoint gets nothing. */
function NextAttempt({ webhookId, at }: { webhookId: string; at: string }) {
  const words = useWords();
  const { guildId, health } = useGuild();
  const now = useSecond();
  const { data: webhook } = useQuery(webhookQuery(guildId, webhookId));
  if (webhook !== undefined && isStopped(webhook.value)) return standingOf(webhook.value, health, words).word;
  return `${words.until(at, now)} · ${words.time(at)}`;
}

function Redeliver({ delivery: { webhookId, deliveryId, state } }: { delivery: DeliveryDetail }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const redeliver = useMutation({
    meta: { toast: 'toast.sent_again' },
    mutationFn: () =>
      answerOf(
        api.POST('/api/guilds/{guildId}/deliveries/{deliveryId}/redeliver', {
          params: { path: { guildId, deliveryId } },
        }),
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: webhookKey(guildId, webhookId) }),
  });
  if (state !== 'succeeded' && state !== 'failed') return null;
  return (
    <div>
      <Button size="xs" loading={redeliver.isPending} onClick={() => redeliver.mutate()}>
        {t('delivery.redeliver')}
      </Button>
      <Failed error={redeliver.error} />
    </div>
  );
}

function Attempts({ attempts }: { attempts: readonly AttemptDetail[] }) {
  const { t } = useWords();
  return (
    <Section title={t('delivery.attempts')} plain>
      {attempts.length === 0 && <Empty title={t('delivery.no_attempts')} />}
      <ol className={css.attempts}>
        {[...attempts].reverse().map((attempt) => (
          <AttemptCard key={attempt.attempt} attempt={attempt} />
        ))}
      </ol>
    </Section>
  );
}

function AttemptCard({ attempt: one }: { attempt: AttemptDetail }) {
  const words = useWords();
  const { t } = words;
  const { attempt, at, outcome, latencyMs, responseBody, error, requestHeaders } = one;
  return (
    <li className={css.attempt}>
      <div className={css.head}>
        <strong>{t('delivery.attempt', { number: attempt })}</strong>
        <StateWord tone={outcome === 'succeeded' ? 'good' : 'bad'}>{outcomeWords(one, words)}</StateWord>
      </div>
      <p className={css.quiet}>
        {words.time(at)}
        {latencyMs !== null && ` · ${t('delivery.latency', { ms: latencyMs })}`}
      </p>
      {error !== null && (
        <Alert color="red" mt="xs">
          {error}
        </Alert>
      )}
      {responseBody !== null && responseBody !== '' && (
        <>
          <p className={css.quiet}>{t('delivery.answer')}</p>
          <CodeText>{prettyJson(responseBody)}</CodeText>
        </>
      )}
      {requestHeaders !== null && (
        <details className={css.headers}>
          <summary>{t('delivery.headers')}</summary>
          <CodeText>{requestHeaders.map(({ name, value }) => `${name}: ${value}`).join('\n')}</CodeText>
        </details>
      )}
    </li>
  );
}
