import { Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Webhook, webhookQuery } from '../../api/webhook-queries.js';
import { pageShapes } from '../../frame/page-shapes.js';
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

/** An endpoint beside the whole list. */
export function ChosenWebhook({ webhookId }: { webhookId: string }) {
  const { guildId } = useGuild();
  const webhook = useQuery(webhookQuery(guildId, webhookId));
  return (
    <Answered query={webhook} shape={pageShapes.webhook.wide.parts}>
      {({ value, etag }) => (
        <>
          <header className={css.chosenHead}>
            <Title order={2}>{hostOf(value)}</Title>
            {value.description !== null && <p className={css.words}>{value.description}</p>}
          </header>
          <Parts webhook={value} etag={etag} />
        </>
      )}
    </Answered>
  );
}

/** The same as a page, where the list has no room beside it. */
export function WebhookAlone({ webhookId }: { webhookId: string }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const webhook = useQuery(webhookQuery(guildId, webhookId));
  const back = (
    <TextLink to="/g/$guildId/webhooks" params={{ guildId }}>
      {t('webhooks.all')}
    </TextLink>
  );
  const value = webhook.data?.value;
  return (
    <Page
      title={value === undefined ? t('nav.webhooks') : hostOf(value)}
      lead={value?.description ?? undefined}
      actions={back}
    >
      <Answered query={webhook} shape={pageShapes.webhook.parts}>
        {(data) => <Parts webhook={data.value} etag={data.etag} />}
      </Answered>
    </Page>
  );
}

const hostOf = ({ url }: Webhook): string => new URL(url).host;

const Parts = ({ webhook, etag }: { webhook: Webhook; etag: string }) => (
  <>
    <Standing webhook={webhook} />
    <WebhookActs webhook={webhook} etag={etag} />
    <HourChart webhookId={webhook.webhookId} />
    <Deliveries webhook={webhook} />
    <Secrets webhook={webhook} />
  </>
);

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
