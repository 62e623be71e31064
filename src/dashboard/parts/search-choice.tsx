import { TextInput, type TextInputProps } from '@mantine/core';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { useWords } from '../i18n/words-provider.js';
import { Icon } from './icon.js';
import css from './search-choice.module.css';

export interface SearchOption<V extends string = string> {
  value: V;
  label: string;
  disabled?: boolean;
}

type SearchChoiceProps<V extends string> = Pick<
  TextInputProps,
  'label' | 'aria-label' | 'description' | 'error' | 'disabled' | 'size' | 'autoFocus' | 'placeholder'
> & {
  className?: string;
  value: V | undefined;
  options: readonly SearchOption<V>[];
  /** A value that is not among the options, but that the typed text names. */
  optionFor?: (typed: string) => SearchOption<V> | undefined;
  onChange: (value: V) => unknown;
  /** Told each typed text, for options that must be asked for. */
  onType?: (typed: string) => unknown;
};

/** The options that contain the typed text, and the one that Enter takes. */
function useFound<V extends string>({ options, optionFor }: Pick<SearchChoiceProps<V>, 'options' | 'optionFor'>) {
  const { language } = useWords();
  const [typed, setTyped] = useState<string>();
  const [step, setStep] = useState(0);
  const wanted = (typed ?? '').trim().toLocaleLowerCase(language);
  const named = optionFor?.(typed ?? '');
  const among = options.filter(({ label }) => label.toLocaleLowerCase(language).includes(wanted));
  const found = named === undefined ? among : [named, ...among];
  const takeable = found.filter(({ disabled }) => disabled !== true);
  const at =
    takeable.length === 0 ? undefined : takeable[((step % takeable.length) + takeable.length) % takeable.length];
  const type = (text: string | undefined) => {
    setTyped(text);
    setStep(0);
  };
  return { typed, type, found, at, move: (by: number) => setStep((now) => now + by) };
}

/** One value among many, found by typing part of its name. `value` undefined: none is chosen yet. */
export function SearchChoice<V extends string>(props: SearchChoiceProps<V>) {
  const { value, options, optionFor, onChange, onType, className = '', ...rest } = props;
  const id = useId();
  const { typed, type, found, at, move } = useFound({ options, ...(optionFor && { optionFor }) });
  const box = useRef<HTMLInputElement>(null);
  const isOpen = typed !== undefined;
  const take = (option: SearchOption<V> | undefined) => {
    if (option === undefined || option.disabled === true) return;
    type(undefined);
    if (option.value !== value) onChange(option.value);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape' && isOpen) event.stopPropagation();
    if (event.key === 'Escape') type(undefined);
    else if (event.key === 'Enter' && isOpen) take(at);
    else if (step !== undefined) isOpen ? move(step) : type('');
    else return;
    if (event.key !== 'Escape') event.preventDefault();
  };
  return (
    <div className={`${css.choice} ${className}`}>
      <TextInput
        {...rest}
        ref={box}
        role="combobox"
        autoComplete="off"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={id}
        {...(isOpen && at !== undefined && { 'aria-activedescendant': `${id}-${at.value}` })}
        rightSection={<Icon name="down" />}
        rightSectionPointerEvents="none"
        value={typed ?? options.find((option) => option.value === value)?.label ?? ''}
        onClick={() => !isOpen && type('')}
        onBlur={() => type(undefined)}
        onKeyDown={press}
        onChange={({ currentTarget }) => {
          type(currentTarget.value);
          onType?.(currentTarget.value);
        }}
      />
      <Found id={id} isOpen={isOpen} found={found} at={at} onTake={take} />
    </div>
  );
}

const intoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });

function Found<V extends string>(props: {
  id: string;
  isOpen: boolean;
  found: readonly SearchOption<V>[];
  at: SearchOption<V> | undefined;
  onTake: (option: SearchOption<V>) => void;
}) {
  const { id, isOpen, found, at, onTake } = props;
  const { t } = useWords();
  return (
    <div className={css.found} hidden={!isOpen}>
      <div role="listbox" id={id} aria-label={t('choice.found')} className={css.options}>
        {found.map((option) => (
          // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the box above has the focus and the keys, as a combobox has
          <div
            key={option.value}
            id={`${id}-${option.value}`}
            role="option"
            aria-selected={option === at}
            aria-disabled={option.disabled === true}
            ref={option === at && isOpen ? intoView : null}
            className={css.option}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onTake(option)}
          >
            {option.label}
          </div>
        ))}
      </div>
      {found.length === 0 && (
        <p role="status" className={css.none}>
          {t('choice.none')}
        </p>
      )}
    </div>
  );
}
