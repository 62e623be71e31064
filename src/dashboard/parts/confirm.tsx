import { Button, Group, Modal } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useWords } from '../i18n/words-provider.js';
import { Failed } from './states.js';

/** Asks before something that can't be taken back; its refusal stands in the dialog. */
export function Confirm<T>(props: {
  open: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
  /** The name of the act, on its button. */
  act: string;
  gentle?: boolean;
  mutation: Pick<UseMutationResult<T, Error, void>, 'mutate' | 'isPending' | 'error' | 'reset'>;
}) {
  const { open, onClose, title, children, act, gentle = false, mutation } = props;
  const { t } = useWords();
  const close = () => {
    mutation.reset();
    onClose();
  };
  return (
    <Modal opened={open} onClose={close} title={title} closeButtonProps={{ 'aria-label': t('action.close') }}>
      {children}
      <Failed error={mutation.error} />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close}>
          {t('action.cancel')}
        </Button>
        <Button
          {...(gentle ? {} : { color: 'red' })}
          loading={mutation.isPending}
          onClick={() => mutation.mutate(undefined, { onSuccess: close })}
        >
          {act}
        </Button>
      </Group>
    </Modal>
  );
}
