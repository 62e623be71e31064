import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type Webhook, webhookQuery } from '../../api/webhook-queries.js';
import { pageShapes } from '../../frame/page-shapes.js';
import { ForRole } from '../../guild/for-role.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { Facts } from '../../parts/facts.js';
import { TextLink } from '../../parts/link-button.js';
import { useNow } from '../../parts/now.js';
import { Page, Section } from '../../parts/page.js';
import { StateWord } from '../../parts/state-word.js';
import { Answered } from '../../parts/states.js';
import { Deliveries } from './deliveries.js';
import { HourChart } from './hour-chart.js';
import { Secrets } from './secrets.js';
import { WebhookActs } from './webhook-acts.js';
import { standingOf } from './webhook-words.js';
import css from './webhooks.module.css';

export function WebhookPage() {
  const { t } = useWords();
  return (
    <ForRole least="admin" title={t('nav.webhooks')}>
      <Endpoint />
    </ForRole>
  );
}

function Endpoint() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const { webhookId } = useParams({ from: '/g/$guildId/webhooks/$webhookId' });
  const webhook = useQuery(webhookQuery(guildId, webhookId));
  if (webhook.data === undefined) {
    return (
      <Page title={t('nav.webhooks')} actions={<Back />}>
        <Answered query={webhook} shape={pageShapes.webhook.parts}>
          {() => null}
        </Answered>
      </Page>
    );
  }
  const { value, etag } = webhook.data;
  return (
    <Page title={new URL(value.url).host} lead={value.description ?? undefined} actions={<Back />}>
      <Standing webhook={value} />
      <WebhookActs webhook={value} etag={etag} />
      <HourChart webhookId={webhookId} />
      <Deliveries webhook={value} />
      <Secrets webhook={value} />
    </Page>
  );
}

function Back() {
  const { t } = useWords();
  const { guildId } = useGuild();
  return (
    <TextLink to="/g/$guildId/webhooks" params={{ guildId }}>
      {t('webhooks.all')}
    </TextLink>
  );
}

function Standing({ webhook }: { webhook: Webhook }) {
  const words = useWords();
  const { t } = words;
  const now = useNow();
  const { url, events, lastSuccessAt, lastFailureAt, waiting } = webhook;
  const { health } = useGuild();
  const { word, tone } = standingOf(webhook, health, words);
  const agoOrNever = (iso: string | null) => (iso === null ? t('webhook.never_at') : words.ago(iso, now));
  const facts = [
    ['webhook.url', url],
    ['webhook.events', words.list(events)],
    ['webhook.success_at', agoOrNever(lastSuccessAt)],
    ['webhook.failure_at', agoOrNever(lastFailureAt)],
    ['webhook.waiting_name', words.number(waiting)],
  ] as const;
  return (
    <Section title={t('webhook.standing')}>
      <p className={css.state}>
        <StateWord tone={tone}>{word}</StateWord>
      </p>
      <Facts facts={facts.map(([name, value]) => [t(name), value])} />
    </Section>
  );
}
