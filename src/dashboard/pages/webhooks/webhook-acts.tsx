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

export function WebhookActs({ webhook, etag }: { webhook: Webhook; etag: string }) {
  const { t } = useWords();
  const [editing, setEditing] = useState(false);
  const test = useTest(webhook);
  const turn = useSwitch(webhook);
  return (
    <div className={css.acts}>
      <div className={css.buttons}>
        <Button loading={test.isPending} onClick={() => test.mutate()}>
          {t('webhook.test')}
        </Button>
        <Button variant="default" onClick={() => setEditing(true)}>
          {t('action.edit')}
        </Button>
        <Button variant="default" loading={turn.isPending} onClick={() => turn.mutate()}>
          {t(webhook.enabled ? 'webhook.turn_off' : 'webhook.turn_on')}
        </Button>
        <Remove webhook={webhook} etag={etag} />
      </div>
      <TestResult test={test} />
      <Failed error={turn.error} />
      {editing && (
        <Suspense>
          <WebhookForm seen={{ webhook, etag }} onClose={() => setEditing(false)} />
        </Suspense>
      )}
    </div>
  );
}

/** Everything kept for the endpoint is asked for again. */
function useRefresh({ webhookId }: Webhook): () => Promise<unknown> {
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: webhookKey(guildId, webhookId) });
}

function useTest(webhook: Webhook) {
  const { guildId } = useGuild();
  const { webhookId } = webhook;
  const refresh = useRefresh(webhook);
  return useMutation({
    mutationFn: () =>
      answerOf(
        api.POST('/api/guilds/{guildId}/webhooks/{webhookId}/test', {
          params: { path: { guildId, webhookId } },
          body: {},
        }),
      ),
    onSettled: refresh,
  });
}

function TestResult({ test: { data, error } }: { test: Pick<ReturnType<typeof useTest>, 'data' | 'error'> }) {
  const words = useWords();
  return (
    <>
      <div role="status">
        {data !== undefined && (
          <Alert color={data.delivered ? 'teal' : 'red'} mt="sm">
            {words.t(data.delivered ? 'webhook.test_done' : 'webhook.test_failed', {
              outcome: outcomeWords(data.attempt, words),
            })}
          </Alert>
        )}
      </div>
      <Failed error={error} />
    </>
  );
}

function useSwitch(webhook: Webhook) {
  const { guildId } = useGuild();
  const { webhookId, enabled } = webhook;
  const refresh = useRefresh(webhook);
  return useMutation({
    mutationFn: () =>
      answerOf(
        api.PATCH('/api/guilds/{guildId}/webhooks/{webhookId}', {
          params: { path: { guildId, webhookId } },
          body: { enabled: !enabled },
        }),
      ),
    onSuccess: refresh,
  });
}

function Remove({ webhook: { webhookId, url, waiting }, etag }: { webhook: Webhook; etag: string }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const remove = useMutation({
    meta: { toast: 'toast.removed' },
    mutationFn: () =>
      answerOf(
        api.DELETE('/api/guilds/{guildId}/webhooks/{webhookId}', {
          params: { path: { guildId, webhookId }, header: { 'if-match': etag } },
        }),
      ),
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
