import { Textarea } from '@mantine/core';
import { useWords } from '../i18n/words-provider.js';
import { ReadFileButton } from './read-file-button.js';
import css from './text-or-file.module.css';

/** A long text, pasted or read from a file. `accept`: file endings. */
export function TextOrFile(props: {
  label: string;
  placeholder?: string;
  accept: string;
  text: string;
  onChange: (text: string) => void;
}) {
  const { label, placeholder, accept, text, onChange } = props;
  const { t } = useWords();
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
      <div className={css.file}>
        <ReadFileButton accept={accept} onRead={onChange}>
          {t('config.file')}
        </ReadFileButton>
      </div>
    </>
  );
}
