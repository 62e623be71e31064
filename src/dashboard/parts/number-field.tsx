import { TextInput, type TextInputProps } from '@mantine/core';

/** A whole number; null for an empty field. */
export function NumberField(
  props: Omit<TextInputProps, 'value' | 'onChange' | 'type'> & {
    value: number | null;
    onChange: (value: number | null) => void;
  },
) {
  const { value, onChange, ...rest } = props;
  return (
    <TextInput
      {...rest}
      type="number"
      step={1}
      value={value ?? ''}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === '' ? null : Math.trunc(Number(currentTarget.value)))
      }
    />
  );
}
