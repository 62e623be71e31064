import { Textarea } from '@mantine/core';
import { useState } from 'react';

/** Roblox ids, one a line. Typed text stays as it is until it is valid. */
export function IdList(props: {
  id?: string;
  label: string;
  description: string;
  error: string | undefined;
  disabled: boolean;
  value: readonly string[];
  onChange: (ids: string[]) => void;
}) {
  const { id, label, description, error, disabled, value, onChange } = props;
  const [typed, setTyped] = useState(value.join('\n'));
  const idsIn = (text: string): string[] => text.split(/[\s,]+/).filter((id) => id !== '');
  // Discarding, or a save by another admin, changes the list from outside.
  const shown = idsIn(typed).join() === value.join() ? typed : value.join('\n');
  return (
    <Textarea
      {...(id !== undefined && { id })}
      label={label}
      description={description}
      error={error}
      disabled={disabled}
      rows={2}
      value={shown}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange(idsIn(currentTarget.value));
      }}
    />
  );
}
