import { NativeSelect, type NativeSelectProps } from '@mantine/core';

type ChoiceProps<V extends string> = Omit<NativeSelectProps, 'value' | 'data' | 'onChange'> & {
  value: V | undefined;
  options: readonly { value: V; label: string }[];
};

export function Choice<V extends string>(props: ChoiceProps<V> & { onChange: (value: V) => unknown }) {
  const { value, options, onChange, ...rest } = props;
  return (
    <NativeSelect
      {...rest}
      value={value ?? ''}
      data={[...options]}
      onChange={({ currentTarget }) => {
        const chosen = options.find((each) => each.value === currentTarget.value);
        if (chosen !== undefined) onChange(chosen.value);
      }}
    />
  );
}

/** One value among some, or no value, which is called `none`. */
export function ChoiceOrNone<V extends string>(
  props: ChoiceProps<V> & { none: string; onChange: (value: V | undefined) => unknown },
) {
  const { value, options, none, onChange, ...rest } = props;
  return (
    <NativeSelect
      {...rest}
      value={value ?? ''}
      data={[{ value: '', label: none }, ...options]}
      onChange={({ currentTarget }) => onChange(options.find((each) => each.value === currentTarget.value)?.value)}
    />
  );
}
