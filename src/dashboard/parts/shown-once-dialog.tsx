import { Button, Checkbox, Group, Modal } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useWords } from '../i18n/words-provider.js';
import { CopyButton } from './copy-button.js';
import css from './shown-once.module.css';

export interface ShownOnceProps {
  title: string;
  secret: string;
  children?: ReactNode;
  onClose: () => void;
  /** A use for the secret, offered once it is saved. */
  next?: { act: string; onPress: () => unknown } | undefined;
}

/** The secret, and the word that it is saved. */
export function ShownOnceDialog(props: ShownOnceProps) {
  const { title, secret, children, onClose, next } = props;
  const { t } = useWords();
  const [saved, setSaved] = useState(false);
  return (
    <Modal opened onClose={() => undefined} title={title} withCloseButton={false} closeOnEscape={false} size="lg">
      <p className={css.words}>{t('secret.once')}</p>
      <div className={css.secret}>
        <code className={css.text}>{secret}</code>
        <CopyButton text={secret} what={title} />
      </div>
      {children}
      <Checkbox
        mt="md"
        checked={saved}
        onChange={(event) => setSaved(event.currentTarget.checked)}
        label={t('secret.saved')}
      />
      <Group justify="flex-end" mt="md">
        {next !== undefined && (
          <Button variant="default" disabled={!saved} onClick={next.onPress}>
            {next.act}
          </Button>
        )}
        <Button disabled={!saved} onClick={onClose}>
          {t('action.close')}
        </Button>
      </Group>
    </Modal>
  );
}
