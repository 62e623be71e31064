import { VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type GuildRole, rolesQuery } from '../api/queries.js';
import { useWords } from '../i18n/words-provider.js';
import { useGuild } from './guild-context.js';
import css from './names.module.css';

/** The server's roles by their id; empty until they are read. */
export function useRoles(): ReadonlyMap<string, GuildRole> {
  const { data = [] } = useQuery(rolesQuery(useGuild().guildId));
  return new Map(data.map((role) => [role.roleId, role]));
}

/** Names a role: `@Officer`, or that it is gone. */
export function useRoleName(): (roleId: string) => string {
  const { t } = useWords();
  const { isPending } = useQuery(rolesQuery(useGuild().guildId));
  const roles = useRoles();
  return (roleId) => {
    const role = roles.get(roleId);
    if (role !== undefined) return `@${role.name.replace(/^@/, '')}`;
    return isPending ? '…' : t('role_name.gone', { id: roleId });
  };
}

/** Roles one beside the other. `as` says what happens to them: given with a plus, taken with a minus, or nothing. */
export function RoleChips({ ids, as = 'held' }: { ids: readonly string[]; as?: 'held' | 'given' | 'taken' }) {
  const nameOf = useRoleName();
  const colors = useRoles();
  const { t } = useWords();
  return (
    <span className={css.chips}>
      {ids.map((id) => (
        <span key={id} className={`${css.role} ${css[as]}`}>
          {as !== 'held' && (
            <>
              <span aria-hidden="true">{as === 'given' ? '+ ' : '− '}</span>
              <VisuallyHidden>{t(`role_name.${as}`)} </VisuallyHidden>
            </>
          )}
          {colors.get(id)?.color != null && (
            <span className={css.dot} style={{ background: colors.get(id)?.color ?? '' }} aria-hidden="true" />
          )}
          {nameOf(id)}
        </span>
      ))}
    </span>
  );
}
