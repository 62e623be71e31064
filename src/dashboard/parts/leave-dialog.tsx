import { Button, Group, Modal } from '@mantine/core';
import { useWords } from '../i18n/words-provider.js';

/** Asks whether to leave unsaved changes. */
export function LeaveDialog({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  const { t } = useWords();
  return (
    <Modal opened onClose={onStay} title={t('unsaved.title')} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <p>{t('unsaved.words')}</p>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onStay}>
          {t('unsaved.stay')}
        </Button>
        <Button color="red" onClick={onLeave}>
          {t('unsaved.leave')}
        </Button>
      </Group>
    </Modal>
  );
}
