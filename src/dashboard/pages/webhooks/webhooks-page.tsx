import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { infoQuery } from '../../api/team-queries.js';
import { type Webhook, webhooksQuery } from '../../api/webhook-queries.js';
import { pageShapes } from '../../frame/page-shapes.js';
import { ForRole } from '../../guild/for-role.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { LinkButton } from '../../parts/link-button.js';
import { Page } from '../../parts/page.js';
import { BesideList } from '../../parts/place.js';
import { Answered, Empty } from '../../parts/states.js';
import { Waiting } from '../../parts/waiting.js';
import { useWide } from '../../parts/wide.js';
import { ChosenWebhook, WebhookAlone } from './chosen-webhook.js';
import { EndpointList } from './endpoint-list.js';
import css from './webhooks.module.css';

const WebhookForm = lazy(async () => ({ default: (await import('./webhook-form.js')).WebhookForm }));

/** All endpoints, and the chosen one beside them; where they have no room, one after the other. */
export function WebhooksPage() {
  const { t } = useWords();
  const { webhookId } = useParams({ strict: false });
  const isAlone = !useWide() && webhookId !== undefined;
  return (
    <ForRole least="admin" title={t('nav.webhooks')}>
      {isAlone ? <WebhookAlone webhookId={webhookId} /> : <Endpoints />}
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
  const isNone = webhooks.data?.length === 0;
  return (
    <Page title={t('nav.webhooks')} lead={t('webhooks.lead')} actions={(!isNone || limit === 0) && add}>
      {info?.webhookDelivery === 'held' && <p className={css.note}>{t('webhooks.held')}</p>}
      {isNone ? <NoEndpoints isSold={limit !== 0} add={add} /> : <ListAndChosen webhooks={webhooks} />}
      {adding && (
        <Suspense>
          <WebhookForm onClose={() => setAdding(false)} />
        </Suspense>
      )}
    </Page>
  );
}

/** The list with the chosen endpoint beside it: the first one until another is chosen. */
function ListAndChosen({ webhooks }: { webhooks: UseQueryResult<Webhook[]> }) {
  const { t } = useWords();
  const isWide = useWide();
  const { webhookId = webhooks.data?.[0]?.webhookId } = useParams({ strict: false });
  const list = (
    <Answered query={webhooks} shape={isWide ? pageShapes.webhooks.wide.list : pageShapes.webhooks.parts}>
      {(data) => <EndpointList webhooks={data} chosenId={isWide ? webhookId : undefined} />}
    </Answered>
  );
  const place = useFocusOn(webhookId);
  if (!isWide) return list;
  return (
    <BesideList list={list}>
      <section ref={place} tabIndex={-1} className={css.place} aria-label={t('webhooks.chosen')}>
        {webhookId !== undefined && <ChosenWebhook key={webhookId} webhookId={webhookId} />}
        {webhookId === undefined && webhooks.isPending && <Waiting shape={pageShapes.webhooks.wide.parts} />}
      </section>
    </BesideList>
  );
}

/** The chosen endpoint's place. It takes the focus once another one is chosen. */
function useFocusOn(chosen: string | undefined) {
  const place = useRef<HTMLElement>(null);
  const last = useRef(chosen);
  useEffect(() => {
    if (last.current !== undefined && last.current !== chosen) place.current?.focus();
    last.current = chosen;
  }, [chosen]);
  return place;
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
