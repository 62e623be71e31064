import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { Webhook } from '../../api/webhook-queries.js';
import { useWords } from '../../i18n/words-provider.js';
import { Section } from '../../parts/page.js';
import { ShownOnce } from '../../parts/shown-once.js';
import css from './webhooks.module.css';

const RotateSecret = lazy(async () => ({ default: (await import('./rotate-secret.js')).RotateSecret }));

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
  const [asking, setAsking] = useState(false);
  const [secret, setSecret] = useState<string>();
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        {t('webhook.rotate')}
      </Button>
      {asking && (
        <Suspense>
          <RotateSecret webhookId={webhookId} onClose={() => setAsking(false)} onSecret={setSecret} />
        </Suspense>
      )}
      {secret !== undefined && (
        <ShownOnce title={t('webhook.secret')} secret={secret} onClose={() => setSecret(undefined)} />
      )}
    </>
  );
}
