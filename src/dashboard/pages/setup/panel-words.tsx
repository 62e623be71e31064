import { Button, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useWords } from '../../i18n/words-provider.js';
import css from './setup.module.css';
import type { Setup } from './setup-queries.js';

type Look = Setup['choices']['panel'];

const hexOf = (color: number | undefined): string =>
  color === undefined ? '' : `#${color.toString(16).padStart(6, '0')}`;

/** The panel's own words and colour; empty fields stay with the usual ones. */
export function PanelWords({ panel, onSave }: { panel: Look; onSave: (look: Look) => void }) {
  const { t } = useWords();
  const [title, setTitle] = useState(panel.title ?? '');
  const [text, setText] = useState(panel.text ?? '');
  const [button, setButton] = useState(panel.button ?? '');
  const [color, setColor] = useState(hexOf(panel.color));
  const isColor = color === '' || /^#?[\da-f]{6}$/i.test(color.trim());
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (!isColor) return;
    onSave({
      ...(title.trim() !== '' && { title: title.trim() }),
      ...(text.trim() !== '' && { text: text.trim() }),
      ...(button.trim() !== '' && { button: button.trim() }),
      ...(color !== '' && { color: Number.parseInt(color.trim().replace('#', ''), 16) }),
    });
  };
  return (
    <details className={css.words}>
      <summary>{t('setup_page.words')}</summary>
      <form onSubmit={save} className={css.wordFields}>
        <TextInput
          label={t('setup_page.words_heading')}
          maxLength={100}
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
        <Textarea
          label={t('setup_page.words_text')}
          maxLength={1500}
          rows={3}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <TextInput
          label={t('setup_page.words_button')}
          maxLength={80}
          value={button}
          onChange={(event) => setButton(event.currentTarget.value)}
        />
        <TextInput
          label={t('setup_page.words_color')}
          error={isColor ? undefined : t('setup_page.words_color_hint')}
          placeholder="#5865F2"
          maxLength={7}
          value={color}
          onChange={(event) => setColor(event.currentTarget.value)}
        />
        <Button type="submit" variant="default">
          {t('action.save')}
        </Button>
      </form>
    </details>
  );
}
