import { useRoleName, useRoles } from '../../guild/role-names.js';
import { useWords } from '../../i18n/words-provider.js';
import { SearchChoice } from '../../parts/search-choice.js';

/** A server role that Rolelink can give, or none. `isHidden`: the label is for screen readers only. */
export function OneRole(props: {
  label: string;
  isHidden?: boolean;
  value: string | null;
  onChange: (roleId: string | null) => void;
}) {
  const { label, isHidden = false, value, onChange } = props;
  const { t } = useWords();
  const nameOf = useRoleName();
  const roles = [...useRoles().values()]
    .filter(({ reason, roleId }) => reason !== 'everyone_role' || roleId === value)
    .sort((a, b) => b.position - a.position);
  return (
    <SearchChoice
      {...(isHidden ? { 'aria-label': label, size: 'xs', autoFocus: true } : { label })}
      value={value ?? ''}
      options={[
        { value: '', label: t(isHidden ? 'setup_page.choose_role' : 'setup_page.no_role') },
        ...roles.map(({ roleId, assignable, reason }) => ({
          value: roleId,
          label: reason === null ? nameOf(roleId) : `${nameOf(roleId)} · ${t(`blocked.${reason}`)}`,
          disabled: !assignable && roleId !== value,
        })),
      ]}
      onChange={(chosen) => onChange(chosen === '' ? null : chosen)}
    />
  );
}
