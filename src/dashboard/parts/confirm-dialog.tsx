import { Button, Group, Modal } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useWords } from '../i18n/words-provider.js';
import { Failed } from './states.js';

export interface ConfirmProps<T> {
  onClose: () => void;
  title: string;
  children: ReactNode;
  /** The act's name, on its button. */
  act: string;
  /** An act that takes nothing away. */
  gentle?: boolean;
  /** Whether the action is currently impossible. */
  disabled?: boolean;
  mutation: Pick<UseMutationResult<T, Error, void>, 'mutate' | 'isPending' | 'error' | 'reset'>;
}

export function ConfirmDialog<T>(props: ConfirmProps<T>) {
  const { onClose, title, children, act, gentle = false, disabled = false, mutation } = props;
  const { t } = useWords();
  const close = () => {
    mutation.reset();
    onClose();
  };
  return (
    <Modal opened onClose={close} title={title} closeButtonProps={{ 'aria-label': t('action.close') }}>
      {children}
      <Failed error={mutation.error} />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close}>
          {t('action.cancel')}
        </Button>
        <Button
          {...(gentle ? {} : { color: 'red' })}
          disabled={disabled}
          loading={mutation.isPending}
          onClick={() => mutation.mutate(undefined, { onSuccess: close })}
        >
          {act}
        </Button>
      </Group>
    </Modal>
  );
}
