import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useWords } from '../i18n/words-provider.js';

/** Copies a text and confirms it. `what` names the text for screen readers. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const { t } = useWords();
  const { copied, copy } = useClipboard({ timeout: 2_000 });
  return (
    <Button size="xs" variant="default" onClick={() => copy(text)} aria-label={`${t('action.copy')}: ${what}`}>
      <span aria-live="polite">{t(copied ? 'action.copied' : 'action.copy')}</span>
    </Button>
  );
}
