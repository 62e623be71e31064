import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { infoQuery } from '../../api/team-queries.js';
import {
  type DeliveryStatistics,
  statisticsOfAllQuery,
  type Webhook,
  webhooksQuery,
} from '../../api/webhook-queries.js';
import { pageShapes } from '../../frame/page-shapes.js';
import { ForRole } from '../../guild/for-role.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { LinkButton, TextLink } from '../../parts/link-button.js';
import { useNow } from '../../parts/now.js';
import { Page } from '../../parts/page.js';
import { StateWord } from '../../parts/state-word.js';
import { Answered, Empty } from '../../parts/states.js';
import { DayInSmall } from './hour-chart.js';
import { standingOf } from './webhook-words.js';
import css from './webhooks.module.css';

const WebhookForm = lazy(async () => ({ default: (await import('./webhook-form.js')).WebhookForm }));

export function WebhooksPage() {
  const { t } = useWords();
  return (
    <ForRole least="admin" title={t('nav.webhooks')}>
      <Endpoints />
    </ForRole>
  );
}

function Endpoints() {
  const { t } = useWords();
  const { guildId, plan } = useGuild();
  const webhooks = useQuery(webhooksQuery(guildId));
  const { data: info } = useQuery(infoQuery);
  const [adding, setAdding] = useState(false);
  const limit = info?.plans.find(({ name }) => name === plan)?.limits.webhookEndpoints;
  const isFull = limit !== undefined && webhooks.data !== undefined && webhooks.data.length >= limit;
  const reason = isFull ? t('webhooks.full', { plan: t(`plan.${plan}`), count: limit }) : undefined;
  const add = (
    <ActButton reason={reason} onClick={() => setAdding(true)}>
      {t('webhooks.add')}
    </ActButton>
  );
  return (
    <Page
      title={t('nav.webhooks')}
      lead={t('webhooks.lead')}
      actions={(webhooks.data?.length !== 0 || limit === 0) && add}
    >
      {info?.webhookDelivery === 'held' && <p className={css.note}>{t('webhooks.held')}</p>}
      <Answered query={webhooks} shape={pageShapes.webhooks.parts}>
        {(data) =>
          data.length === 0 ? <NoEndpoints isSold={limit !== 0} add={add} /> : <EndpointList webhooks={data} />
        }
      </Answered>
      {adding && (
        <Suspense>
          <WebhookForm onClose={() => setAdding(false)} />
        </Suspense>
      )}
    </Page>
  );
}

function NoEndpoints({ isSold, add }: { isSold: boolean; add: ReactNode }) {
  const { t } = useWords();
  const { guildId, plan } = useGuild();
  if (isSold) {
    return (
      <Empty title={t('webhooks.none')} action={add}>
        {t('webhooks.none_why')}
      </Empty>
    );
  }
  const toPlan = (
    <LinkButton to="/g/$guildId/plan" params={{ guildId }} variant="default">
      {t('nav.plan')}
    </LinkButton>
  );
  return (
    <Empty title={t('webhooks.not_in_plan', { plan: t(`plan.${plan}`) })} action={toPlan}>
      {t('webhooks.not_in_plan_why')}
    </Empty>
  );
}

function EndpointList({ webhooks }: { webhooks: readonly Webhook[] }) {
  const { guildId } = useGuild();
  const { data: days = [] } = useQuery(statisticsOfAllQuery(guildId));
  return (
    <ul className={css.list}>
      {webhooks.map((webhook) => (
        <EndpointCard
          key={webhook.webhookId}
          webhook={webhook}
          day={days.find(({ webhookId }) => webhookId === webhook.webhookId)}
        />
      ))}
    </ul>
  );
}

function EndpointCard({ webhook, day }: { webhook: Webhook; day: DeliveryStatistics | undefined }) {
  const words = useWords();
  const { t } = words;
  const { guildId, health } = useGuild();
  const now = useNow();
  const { webhookId, url, description, events, lastSuccessAt, waiting } = webhook;
  const { word, tone } = standingOf(webhook, health, words);
  return (
    <li className={css.endpoint}>
      <div className={css.head}>
        <TextLink to="/g/$guildId/webhooks/$webhookId" params={{ guildId, webhookId }} className={css.url}>
          {url}
        </TextLink>
        <StateWord tone={tone}>{word}</StateWord>
      </div>
      {description !== null && <p className={css.words}>{description}</p>}
      <p className={css.quiet}>{words.list(events)}</p>
      <p className={css.quiet}>
        {lastSuccessAt === null
          ? t('webhook.never')
          : t('webhook.last_success', { ago: words.ago(lastSuccessAt, now) })}
        {waiting > 0 && ` · ${t('webhook.waiting', { count: waiting })}`}
      </p>
      <div className={css.day}>{day !== undefined && <DayInSmall statistics={day} />}</div>
    </li>
  );
}
