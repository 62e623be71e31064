import { Button, Checkbox } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { type Webhook, webhookKey } from '../../api/webhook-queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { Confirm } from '../../parts/confirm.js';
import { Section } from '../../parts/page.js';
import { ShownOnce } from '../../parts/shown-once.js';
import css from './webhooks.module.css';

/** The secrets that sign now, by their fingerprints, and how to replace them. */
export function Secrets({ webhook: { webhookId, secrets } }: { webhook: Webhook }) {
  const words = useWords();
  const { t } = words;
  return (
    <Section title={t('webhook.secrets')} actions={<Rotate webhookId={webhookId} />}>
      <p className={css.quiet}>{t('webhook.secrets_words')}</p>
      <ul className={css.secrets}>
        {secrets.map(({ fingerprint, createdAt, validUntil }) => (
          <li key={fingerprint}>
            <code>{fingerprint}</code>{' '}
            {validUntil === null
              ? t('webhook.secret_since', { time: words.time(createdAt) })
              : t('webhook.secret_until', { time: words.time(validUntil) })}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Rotate({ webhookId }: { webhookId: string }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [immediately, setImmediately] = useState(false);
  const [secret, setSecret] = useState<string>();
  const rotate = useMutation({
    mutationFn: () =>
      answerOf(
        api.POST('/api/guilds/{guildId}/webhooks/{webhookId}/rotate-secret', {
          params: { path: { guildId, webhookId }, query: { immediately: immediately ? 'true' : 'false' } },
        }),
      ),
    async onSuccess(made) {
      setSecret(made.secret);
      await queryClient.invalidateQueries({ queryKey: webhookKey(guildId, webhookId) });
    },
  });
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        {t('webhook.rotate')}
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t('webhook.rotate_title')}
        act={t('webhook.rotate')}
        gentle={!immediately}
        mutation={rotate}
      >
        <p>{t(immediately ? 'webhook.rotate_at_once' : 'webhook.rotate_words')}</p>
        <Checkbox
          checked={immediately}
          onChange={(event) => setImmediately(event.currentTarget.checked)}
          label={t('webhook.rotate_immediately')}
        />
      </Confirm>
      {secret !== undefined && (
        <ShownOnce title={t('webhook.secret')} secret={secret} onClose={() => setSecret(undefined)} />
      )}
    </>
  );
}
