import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useWords } from '../i18n/words-provider.js';

/** Copies a text, and says that it has. `what` is read out: which text it is. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const { t } = useWords();
  const { copied, copy } = useClipboard({ timeout: 2_000 });
  return (
    <Button size="xs" variant="default" onClick={() => copy(text)} aria-label={`${t('action.copy')}: ${what}`}>
      <span aria-live="polite">{t(copied ? 'action.copied' : 'action.copy')}</span>
    </Button>
  );
}
