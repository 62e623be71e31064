import type { GuildRole } from '../api/queries.js';
import { useWords } from '../i18n/words-provider.js';
import { useGuild } from './guild-context.js';
import css from './names.module.css';
import { Picker, type PickerProps } from './picker.js';
import { RoleChips, useRoleName, useRoles } from './role-names.js';

/**
 * Chooses among the server's roles. `onlyAssignable`: those that the bot can't give may not be chosen, but for roles
 * above it while the server observes (CONF-62). The note names those.
 */
export function RolePicker({ onlyAssignable = false, ...props }: PickerProps & { onlyAssignable?: boolean }) {
  const { t } = useWords();
  const nameOf = useRoleName();
  const { mode } = useGuild();
  const roles = [...useRoles().values()].sort((a, b) => b.position - a.position);
  const others = roles.filter(({ roleId }) => !props.value.includes(roleId));
  const waits = ({ reason }: GuildRole) => onlyAssignable && mode === 'observe' && reason === 'role_above_bot';
  const above = roles.filter((role) => props.value.includes(role.roleId) && waits(role));
  return (
    <>
      <Picker
        {...props}
        nameOf={nameOf}
        placeholder={t('role_name.choose')}
        options={others.map((role) => ({
          value: role.roleId,
          // A role that can't be given shows the reason in the list.
          label:
            !onlyAssignable || role.reason === null
              ? nameOf(role.roleId)
              : `${nameOf(role.roleId)} · ${t(`blocked.${role.reason}`)}`,
          disabled: onlyAssignable && !role.assignable && !waits(role),
        }))}
      />
      {above.length > 0 && (
        <p className={css.note}>
          {t('mapping_import.roles_above')} <RoleChips ids={above.map(({ roleId }) => roleId)} />
        </p>
      )}
    </>
  );
}
