import { CloseButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWords } from '../i18n/words-provider.js';
import { SearchChoice } from '../parts/search-choice.js';
import css from './names.module.css';

/** Properties for choosing several things by their id. */
export interface PickerProps {
  label: string;
  value: readonly string[];
  onChange: (ids: string[]) => void;
  disabled: boolean;
  max: number;
  error?: string | undefined;
}

type Offered = Pick<Parameters<typeof SearchChoice>[0], 'options' | 'optionFor' | 'placeholder'>;

/** Chooses some things: those chosen with a button to leave them out, and the others as a list. */
export function Picker(
  props: PickerProps & Offered & { nameOf: (id: string) => string; mark?: (id: string) => ReactNode },
) {
  const { label, value, onChange, disabled, max, error, nameOf, mark, ...offered } = props;
  const { t } = useWords();
  return (
    <div className={css.picker}>
      <SearchChoice
        {...offered}
        label={label}
        error={error}
        disabled={disabled || value.length >= max}
        value={undefined}
        onChange={(id) => onChange([...value, id])}
      />
      {value.length > 0 && (
        <ul className={css.chosen} aria-label={label}>
          {value.map((id) => (
            <li key={id} className={css.role}>
              {mark?.(id)}
              {nameOf(id)}
              {!disabled && (
                <CloseButton
                  size="xs"
                  aria-label={t('role_name.leave_out', { role: nameOf(id) })}
                  onClick={() => onChange(value.filter((other) => other !== id))}
                />
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
