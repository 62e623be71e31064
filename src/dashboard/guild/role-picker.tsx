import { useWords } from '../i18n/words-provider.js';
import { Picker, type PickerProps } from './picker.js';
import { useRoleName, useRoles } from './role-names.js';

/** Chooses among the server's roles. `onlyAssignable`: those that the bot can't give may not be chosen. */
export function RolePicker({ onlyAssignable = false, ...props }: PickerProps & { onlyAssignable?: boolean }) {
  const { t } = useWords();
  const nameOf = useRoleName();
  const roles = [...useRoles().values()].sort((a, b) => b.position - a.position);
  const others = roles.filter(({ roleId }) => !props.value.includes(roleId));
  return (
    <Picker
      {...props}
      nameOf={nameOf}
      placeholder={t('role_name.choose')}
      options={others.map(({ roleId, assignable, reason }) => ({
        value: roleId,
        // A role that can't be given shows the reason in the list.
        label: !onlyAssignable || reason === null ? nameOf(roleId) : `${nameOf(roleId)} · ${t(`blocked.${reason}`)}`,
        disabled: onlyAssignable && !assignable,
      }))}
    />
  );
}
