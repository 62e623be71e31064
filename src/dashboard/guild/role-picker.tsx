import { CloseButton } from '@mantine/core';
import { useWords } from '../i18n/words-provider.js';
import { SearchChoice } from '../parts/search-choice.js';
import css from './names.module.css';
import { useRoleName, useRoles } from './role-names.js';

/** Chooses some of the server's roles: those chosen with a button to leave them out, and a list of the others. */
export function RolePicker(props: {
  label: string;
  value: readonly string[];
  onChange: (roleIds: string[]) => void;
  disabled: boolean;
  max: number;
  /** Whether roles that the bot can't give may not be chosen. */
  onlyAssignable?: boolean;
  error?: string | undefined;
}) {
  const { label, value, onChange, disabled, max, onlyAssignable = false, error } = props;
  const { t } = useWords();
  const nameOf = useRoleName();
  const roles = [...useRoles().values()].sort((a, b) => b.position - a.position);
  const others = roles.filter(({ roleId }) => !value.includes(roleId));
  return (
    <div className={css.picker}>
      <SearchChoice
        label={label}
        error={error}
        disabled={disabled || value.length >= max}
        value={undefined}
        placeholder={t('role_name.choose')}
        options={others.map(({ roleId, assignable, reason }) => ({
          value: roleId,
          // A role that can't be given shows the reason in the list.
          label: !onlyAssignable || reason === null ? nameOf(roleId) : `${nameOf(roleId)} · ${t(`blocked.${reason}`)}`,
          disabled: onlyAssignable && !assignable,
        }))}
        onChange={(roleId) => onChange([...value, roleId])}
      />
      {value.length > 0 && (
        <ul className={css.chosen} aria-label={label}>
          {value.map((id) => (
            <li key={id} className={css.role}>
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
