import { Button, Group, Modal } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useWords } from '../i18n/words-provider.js';

/** Asks before a page with unsaved changes is left, and has the browser ask before its tab is closed. */
export function UnsavedGuard({ isUnsaved }: { isUnsaved: boolean }) {
  const { t } = useWords();
  const { status, proceed, reset } = useBlocker({
    // Another filter of the same page leaves nothing.
    shouldBlockFn: ({ current, next }) => isUnsaved && current.pathname !== next.pathname,
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  return (
    <Modal
      opened={status === 'blocked'}
      onClose={() => reset?.()}
      title={t('unsaved.title')}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <p>{t('unsaved.words')}</p>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={() => reset?.()}>
          {t('unsaved.stay')}
        </Button>
        <Button color="red" onClick={() => proceed?.()}>
          {t('unsaved.leave')}
        </Button>
      </Group>
    </Modal>
  );
}
