import { Avatar, CloseButton } from '@mantine/core';
import { useWords } from '../i18n/words-provider.js';
import { SearchChoice } from '../parts/search-choice.js';
import css from './names.module.css';
import { useGroups } from './use-groups.js';

/** The id in a typed number or in the address of a group's page. */
const idIn = (typed: string): string | undefined =>
  /^\d{1,15}$/.exec(typed.trim())?.[0] ?? /roblox\.com\/\D*(\d{1,15})/.exec(typed)?.[1];

/** Chooses some of Roblox's groups: an attached one by its name, any by its id or address. */
export function GroupPicker(props: {
  label: string;
  value: readonly string[];
  onChange: (groupIds: string[]) => void;
  disabled: boolean;
  max: number;
  error?: string | undefined;
}) {
  const { label, value, onChange, disabled, max, error } = props;
  const { t } = useWords();
  const groups = useGroups();
  const nameOf = (id: string) => groups.get(id)?.name ?? t('group_name.by_id', { id });
  const optionFor = (typed: string) => {
    const id = idIn(typed);
    if (id === undefined || value.includes(id) || groups.has(id)) return undefined;
    return { value: id, label: nameOf(id) };
  };
  return (
    <div className={css.picker}>
      <SearchChoice
        label={label}
        error={error}
        disabled={disabled || value.length >= max}
        value={undefined}
        placeholder={t('group_name.choose')}
        options={[...groups.values()]
          .filter(({ groupId }) => !value.includes(groupId))
          .map(({ groupId, name }) => ({ value: groupId, label: `${name} · ${groupId}` }))}
        optionFor={optionFor}
        onChange={(groupId) => onChange([...value, groupId])}
      />
      {value.length > 0 && (
        <ul className={css.chosen} aria-label={label}>
          {value.map((id) => (
            <li key={id} className={css.role}>
              <Avatar name={nameOf(id)} size="1.125rem" radius="sm" color="gray" alt="" aria-hidden="true" />
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
