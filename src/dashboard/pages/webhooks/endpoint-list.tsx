import { useQuery } from '@tanstack/react-query';
import { type DeliveryStatistics, statisticsOfAllQuery, type Webhook } from '../../api/webhook-queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { TextLink } from '../../parts/link-button.js';
import { useNow } from '../../parts/now.js';
import { StateWord } from '../../parts/state-word.js';
import { DayInSmall } from './hour-chart.js';
import { standingOf } from './webhook-words.js';
import css from './webhooks.module.css';

/** Every endpoint as a card with its last day; `chosenId` is the one shown beside the list. */
export function EndpointList({ webhooks, chosenId }: { webhooks: readonly Webhook[]; chosenId: string | undefined }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const { data: days = [] } = useQuery(statisticsOfAllQuery(guildId));
  return (
    <ul className={css.list} aria-label={t('webhooks.all')}>
      {webhooks.map((webhook) => (
        <EndpointCard
          key={webhook.webhookId}
          webhook={webhook}
          isChosen={webhook.webhookId === chosenId}
          day={days.find(({ webhookId }) => webhookId === webhook.webhookId)}
        />
      ))}
    </ul>
  );
}

interface CardProps {
  webhook: Webhook;
  isChosen: boolean;
  day: DeliveryStatistics | undefined;
}

function EndpointCard({ webhook, isChosen, day }: CardProps) {
  const words = useWords();
  const { t } = words;
  const { guildId, health } = useGuild();
  const now = useNow();
  const { webhookId, url, description, events, lastSuccessAt, waiting } = webhook;
  const { word, tone } = standingOf(webhook, health, words);
  return (
    <li className={`${css.endpoint} ${isChosen ? css.here : ''}`}>
      <div className={css.head}>
        <TextLink
          to="/g/$guildId/webhooks/$webhookId"
          params={{ guildId, webhookId }}
          className={css.url}
          {...(isChosen && { 'aria-current': true })}
        >
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
