import { Button } from '@mantine/core';
import { useGuild } from '../../guild/guild-context.js';
import { useRoleName } from '../../guild/role-names.js';
import { useWords } from '../../i18n/words-provider.js';
import { ChoiceOrNone } from '../../parts/choice.js';
import { SearchChoice } from '../../parts/search-choice.js';
import { type Counts, filterOf } from './changes-search.js';
import css from './differences.module.css';
import { useFilters } from './use-filters.js';

/** Narrows the list by a role and a reason, each with its member count. A file has the same members. */
export function DifferencesFilters({ counts }: { counts: Counts }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const { search, change } = useFilters();
  const query = new URLSearchParams(filterOf(search));
  return (
    <search className={css.filters}>
      <RoleFilter byRole={counts.byRole} />
      <ChoiceOrNone
        label={t('differences.by_reason')}
        none={t('differences.all')}
        value={search.reason}
        options={withChosenReason(counts.byReason, search.reason).map(({ reason, members }) => ({
          value: reason,
          label: `${t(`difference_reason.${reason}`)} (${members})`,
        }))}
        onChange={(reason) => change({ reason })}
      />
      <Button component="a" variant="default" href={`/api/guilds/${guildId}/differences/export?${query}`} download>
        {t('differences.export')}
      </Button>
    </search>
  );
}

// No difference may have an old address's role or reason.

const withChosenReason = (byReason: Counts['byReason'], chosen: Counts['byReason'][number]['reason'] | undefined) =>
  chosen === undefined || byReason.some(({ reason }) => reason === chosen)
    ? byReason
    : [...byReason, { reason: chosen, members: 0 }];

const withChosenRole = (byRole: Counts['byRole'], chosen: string | undefined) =>
  chosen === undefined || byRole.some(({ roleId }) => roleId === chosen)
    ? byRole
    : [...byRole, { roleId: chosen, gaining: 0, losing: 0 }];

function RoleFilter({ byRole }: { byRole: Counts['byRole'] }) {
  const { t } = useWords();
  const nameOf = useRoleName();
  const { search, change } = useFilters();
  return (
    <SearchChoice
      label={t('preview.role')}
      className={css.role ?? ''}
      value={search.role ?? ''}
      options={[
        { value: '', label: t('preview.any_role') },
        ...withChosenRole(byRole, search.role).map(({ roleId, gaining, losing }) => ({
          value: roleId,
          label: `${nameOf(roleId)} (+${gaining} −${losing})`,
        })),
      ]}
      onChange={(role) => change({ role: role || undefined })}
    />
  );
}
