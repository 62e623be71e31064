import { VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { CSSProperties } from 'react';
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
  const { guildId, health } = useGuild();
  const { isPending } = useQuery(rolesQuery(guildId));
  const roles = useRoles();
  return (roleId) => {
    const role = roles.get(roleId);
    if (role !== undefined) return `@${role.name.replace(/^@/, '')}`;
    if (isPending) return '…';
    const lastName = health.find((issue) => issue.code === 'role_deleted' && issue.roleId === roleId)?.roleName;
    const isNamed = lastName !== undefined && lastName !== roleId;
    return isNamed ? t('role_name.gone_named', { role: lastName }) : t('role_name.gone');
  };
}

/** A role's own colour on Discord, for the style sheet. React sets it as a property, which the policy allows. */
const roleColor = (color: string | null | undefined): CSSProperties =>
  color == null ? {} : ({ '--role': color } as CSSProperties);

/** Roles in a row. `as` shows their change: given with a plus, taken with a minus, or none. */
export function RoleChips({ ids, as = 'held' }: { ids: readonly string[]; as?: 'held' | 'given' | 'taken' }) {
  const nameOf = useRoleName();
  const colors = useRoles();
  const { t } = useWords();
  if (ids.length === 0) return null;
  return (
    <span className={css.chips}>
      {ids.map((id) => (
        <span key={id} className={`${css.role} ${css[as]}`} style={roleColor(colors.get(id)?.color)}>
          {as !== 'held' && (
            <>
              <span aria-hidden="true">{as === 'given' ? '+ ' : '− '}</span>
              <VisuallyHidden>{t(`role_name.${as}`)} </VisuallyHidden>
            </>
          )}
          {nameOf(id)}
        </span>
      ))}
    </span>
  );
}
