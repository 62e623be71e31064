import { Button, Checkbox, Code, Group, Modal } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useWords } from '../i18n/words-provider.js';
import { CopyButton } from './copy-button.js';
import css from './shown-once.module.css';

/** A secret that is shown this once: the dialog closes when somebody says that they have it. */
export function ShownOnce(props: { title: string; secret: string; children?: ReactNode; onClose: () => void }) {
  const { title, secret, children, onClose } = props;
  const { t } = useWords();
  const [saved, setSaved] = useState(false);
  return (
    <Modal opened onClose={() => undefined} title={title} withCloseButton={false} closeOnEscape={false} size="lg">
      <p className={css.words}>{t('secret.once')}</p>
      <div className={css.secret}>
        <Code className={css.text}>{secret}</Code>
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
        <Button disabled={!saved} onClick={onClose}>
          {t('action.close')}
        </Button>
      </Group>
    </Modal>
  );
}
