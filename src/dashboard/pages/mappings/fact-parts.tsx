import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { typedValue } from '../../../lib/typed-value.js';
import type { Condition } from '../../api/queries.js';
import { useWords } from '../../i18n/words-provider.js';

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
        value={key}
        onChange={({ currentTarget }) => onChange({ ...value, key: currentTarget.value.trim().toLowerCase() })}
      />
      <NativeSelect
        aria-label={t('editor.kind')}
        disabled={disabled}
        value={isExact ? 'is' : 'number'}
        data={(['is', 'number'] as const).map((way) => ({ value: way, label: t(`editor.fact_${way}`) }))}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === 'is' ? { type, key, is: true } : { type, key, atLeast: 1 })
        }
      />
      {isExact ? (
        <Typed
          label={t('editor.fact_value')}
          disabled={disabled}
          start={typeof is === 'string' && typedValue(is) !== is ? `"${is}"` : String(is)}
          onChange={(text) => onChange({ type, key, is: typedValue(text) })}
        />
      ) : (
        (['atLeast', 'atMost'] as const).map((bound) => (
          <Typed
            key={bound}
            label={t(bound === 'atLeast' ? 'editor.from' : 'editor.to')}
            disabled={disabled}
            start={String(value[bound] ?? '')}
            onChange={(text) => {
              const { [bound]: _, ...rest } = value;
              onChange(Number.isNaN(Number.parseFloat(text)) ? rest : { ...rest, [bound]: Number.parseFloat(text) });
            }}
          />
        ))
      )}
    </>
  );
}

/** A field that keeps its text as it is typed: several texts mean one number. */
function Typed(props: { label: string; start: string; disabled: boolean; onChange: (text: string) => void }) {
  const { label, start, disabled, onChange } = props;
  const [text, setText] = useState(start);
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      disabled={disabled}
      maxLength={66}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        onChange(currentTarget.value);
      }}
    />
  );
}
