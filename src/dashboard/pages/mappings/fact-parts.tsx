import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { typedValue } from '../../../lib/typed-value.js';
import type { Condition } from '../../api/queries.js';
import { useWords } from '../../i18n/words-provider.js';
import { factKey, isFactNumber } from './condition-draft.js';
import css from './mappings.module.css';

type OfGame = Extract<Condition, { type: 'fact' }>;

/** The name of a fact that the server's game reports, and its value or the numbers between which it is. */
export function FactParts(props: { value: OfGame; onChange: (value: OfGame) => void; disabled: boolean }) {
  const { value, onChange, disabled } = props;
  const { t } = useWords();
  const { type, key, is } = value;
  const isExact = is !== undefined;
  return (
    <>
      <TextInput
        aria-label={t('editor.fact')}
        placeholder={t('editor.fact')}
        disabled={disabled}
        maxLength={32}
        autoCapitalize="none"
        spellCheck={false}
        value={key}
        error={key !== '' && !factKey.test(key) && t('editor.fact_bad_name')}
        onChange={({ currentTarget }) => onChange({ ...value, key: currentTarget.value.trim().toLowerCase() })}
      />
      <NativeSelect
        aria-label={t('editor.fact_way')}
        disabled={disabled}
        value={isExact ? 'is' : 'number'}
        data={(['is', 'number'] as const).map((way) => ({ value: way, label: t(`editor.fact_${way}`) }))}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === 'is' ? { type, key, is: true } : { type, key, atLeast: 1 })
        }
      />
      <div className={css.values}>
        {isExact ? (
          <Typed
            label={t('editor.fact_value')}
            disabled={disabled}
            value={is}
            meaning={typedValue}
            write={(exact) => (typeof exact === 'string' && typedValue(exact) !== exact ? `"${exact}"` : String(exact))}
            onChange={(exact) => onChange({ type, key, is: exact })}
          />
        ) : (
          (['atLeast', 'atMost'] as const).map((bound) => (
            <Typed
              key={bound}
              label={t(bound === 'atLeast' ? 'editor.from' : 'editor.to')}
              isBound
              disabled={disabled}
              value={value[bound]}
              meaning={numberIn}
              write={(number) => (isFactNumber(number) ? String(number) : '')}
              error={value[bound] !== undefined && !isFactNumber(value[bound]) && t('editor.fact_bad_number')}
              onChange={(number) => {
                const { [bound]: _, ...rest } = value;
                onChange(number === undefined ? rest : { ...rest, [bound]: number });
              }}
            />
          ))
        )}
      </div>
    </>
  );
}

/** NaN for a text that is no number, so that it is neither saved nor taken for a part of it. */
function numberIn(text: string): number | undefined {
  if (text.trim() === '') return undefined;
  const value = typedValue(text);
  return typeof value === 'number' ? value : Number.NaN;
}

/** A field that keeps its text as it is typed while it means the value: several texts mean one number. */
function Typed<Value>(props: {
  label: string;
  isBound?: boolean;
  value: Value;
  meaning: (text: string) => Value;
  write: (value: Value) => string;
  disabled: boolean;
  error?: string | false;
  onChange: (value: Value) => void;
}) {
  const { label, isBound = false, value, meaning, write, disabled, error = false, onChange } = props;
  const [text, setText] = useState(() => write(value));
  return (
    <TextInput
      aria-label={label}
      {...(isBound
        ? { leftSection: <span className={css.bound}>{label}</span>, leftSectionWidth: '3.5rem', inputMode: 'decimal' }
        : { placeholder: label })}
      disabled={disabled}
      maxLength={66}
      error={error}
      value={Object.is(meaning(text), value) ? text : write(value)}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        onChange(meaning(currentTarget.value));
      }}
    />
  );
}
