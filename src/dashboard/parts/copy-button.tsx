import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useWords } from '../i18n/words-provider.js';

/** Copies a text and confirms it. `what` names the text for screen readers; `label` replaces *Copy*. */
export function CopyButton({ text, what, label }: { text: string; what: string; label?: string }) {
  const { t } = useWords();
  const { copied, copy } = useClipboard({ timeout: 2_000 });
  return (
    <Button size="xs" variant="default" onClick={() => copy(text)} aria-label={label ?? `${t('action.copy')}: ${what}`}>
      <span aria-live="polite">{copied ? t('action.copied') : (label ?? t('action.copy'))}</span>
    </Button>
  );
}
