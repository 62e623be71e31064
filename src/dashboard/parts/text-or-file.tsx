import { Textarea } from '@mantine/core';
import { useId } from 'react';
import { useWords } from '../i18n/words-provider.js';
import css from './text-or-file.module.css';

/** A long text, pasted or read from a file. `accept`: the endings of files. */
export function TextOrFile(props: {
  label: string;
  placeholder?: string;
  accept: string;
  text: string;
  onChange: (text: string) => void;
}) {
  const { label, placeholder, accept, text, onChange } = props;
  const { t } = useWords();
  const id = useId();
  return (
    <>
      <Textarea
        label={label}
        className={css.text ?? ''}
        rows={8}
        spellCheck={false}
        placeholder={placeholder}
        value={text}
        onChange={({ currentTarget: { value } }) => onChange(value)}
      />
      <label htmlFor={id} className={css.file}>
        {t('config.file')}{' '}
        <input
          id={id}
          type="file"
          accept={accept}
          onChange={async ({ currentTarget: { files } }) => {
            const [file] = files ?? [];
            if (file !== undefined) onChange(await file.text());
          }}
        />
      </label>
    </>
  );
}
