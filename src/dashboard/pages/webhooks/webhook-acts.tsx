import { Alert, Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { type Webhook, webhookKey, webhooksQuery } from '../../api/webhook-queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { Confirm } from '../../parts/confirm.js';
import { Failed } from '../../parts/states.js';
import { outcomeWords } from './webhook-words.js';
import css from './webhooks.module.css';

const WebhookForm = lazy(async () => ({ default: (await import('./webhook-form.js')).WebhookForm }));

/** What can be done to an endpoint: tested, turned on or off, changed, removed. */
export function WebhookActs({ webhook, etag }: { webhook: Webhook; etag: string }) {
  const { t } = useWords();
  const [editing, setEditing] = useState(false);
  return (
    <>
      <div className={css.buttons}>
        <Button variant="default" onClick={() => setEditing(true)}>
          {t('action.edit')}
        </Button>
        <Switch webhook={webhook} />
        <Remove webhook={webhook} />
      </div>
      <Test webhook={webhook} />
      {editing && (
        <Suspense>
          <WebhookForm seen={{ webhook, etag }} onClose={() => setEditing(false)} />
        </Suspense>
      )}
    </>
  );
}

/** Everything that is kept of the endpoint is asked for again. */
function useRefresh({ webhookId }: Webhook): () => Promise<unknown> {
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: webhookKey(guildId, webhookId) });
}

function Test({ webhook }: { webhook: Webhook }) {
  const words = useWords();
  const { t } = words;
  const { guildId } = useGuild();
  const { webhookId } = webhook;
  const refresh = useRefresh(webhook);
  const test = useMutation({
    mutationFn: () =>
      answerOf(
        api.POST('/api/guilds/{guildId}/webhooks/{webhookId}/test', {
          params: { path: { guildId, webhookId } },
          body: {},
        }),
      ),
    onSettled: refresh,
  });
  return (
    <div className={css.test}>
      <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
        {t('webhook.test')}
      </Button>
      <div role="status">
        {test.data !== undefined && (
          <Alert color={test.data.delivered ? 'teal' : 'red'} mt="sm">
            {t(test.data.delivered ? 'webhook.test_done' : 'webhook.test_failed', {
              outcome: outcomeWords(test.data.attempt, words),
            })}
          </Alert>
        )}
      </div>
      <Failed error={test.error} />
    </div>
  );
}

function Switch({ webhook }: { webhook: Webhook }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const { webhookId, enabled } = webhook;
  const refresh = useRefresh(webhook);
  const change = useMutation({
    mutationFn: () =>
      answerOf(
        api.PATCH('/api/guilds/{guildId}/webhooks/{webhookId}', {
          params: { path: { guildId, webhookId } },
          body: { enabled: !enabled },
        }),
      ),
    onSuccess: refresh,
  });
  return (
    <>
      <Button variant="default" loading={change.isPending} onClick={() => change.mutate()}>
        {t(enabled ? 'webhook.turn_off' : 'webhook.turn_on')}
      </Button>
      <Failed error={change.error} />
    </>
  );
}

function Remove({ webhook: { webhookId, url, waiting } }: { webhook: Webhook }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () =>
      answerOf(api.DELETE('/api/guilds/{guildId}/webhooks/{webhookId}', { params: { path: { guildId, webhookId } } })),
    async onSuccess() {
      await navigate({ to: '/g/$guildId/webhooks', params: { guildId } });
      queryClient.removeQueries({ queryKey: webhookKey(guildId, webhookId) });
      await queryClient.invalidateQueries({ queryKey: webhooksQuery(guildId).queryKey });
    },
  });
  return (
    <>
      <Button variant="subtle" color="red" onClick={() => setAsking(true)}>
        {t('webhook.remove')}
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t('webhook.remove_title', { host: new URL(url).host })}
        act={t('webhook.remove')}
        mutation={remove}
      >
        <p>{t('webhook.remove_words', { count: waiting })}</p>
      </Confirm>
    </>
  );
}
