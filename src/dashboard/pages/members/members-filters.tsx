import { NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { guildKey } from '../../api/queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useRoleName, useRoles } from '../../guild/role-names.js';
import { useGroups } from '../../guild/use-groups.js';
import { useWords } from '../../i18n/words-provider.js';
import { ChoiceOrNone } from '../../parts/choice.js';
import css from '../../parts/filters.module.css';
import { filtersOf } from './members-query.js';
import { type ChangeSearch, type MembersSearch, statuses, syncStates } from './members-search.js';

type Filters = Omit<ReturnType<typeof filtersOf>, 'status'>;

/** How many people have each status among those that match; null where no index counts them. */
const countsQuery = (guildId: string, query: Filters) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'member-counts', query],
    queryFn: () => answerOf(api.GET('/api/guilds/{guildId}/members/counts', { params: { path: { guildId }, query } })),
  });

/** How many people with each status match the search; undefined where it is not known. */
export function useCounts(search: MembersSearch): Readonly<Record<(typeof statuses)[number], number>> | undefined {
  const { status: _, ...filters } = filtersOf(search);
  const { data } = useQuery(countsQuery(useGuild().guildId, filters));
  return data?.counts ?? undefined;
}

/** Words, and filters by status, role, rank and whether the person is in step. */
export function MembersFilters({ search, change }: { search: MembersSearch; change: ChangeSearch }) {
  const { t, number } = useWords();
  const counts = useCounts(search);
  const labelOf = (value: (typeof statuses)[number]): string => {
    const count = counts?.[value];
    return count === undefined ? t(`member_status.${value}`) : `${t(`member_status.${value}`)} (${number(count)})`;
  };
  const [typed, setTyped] = useState(search.q ?? '');
  const look = useDebouncedCallback((q: string) => change({ q: q === '' ? undefined : q }), 300);
  return (
    <search className={css.filters}>
      <TextInput
        label={t('members.search')}
        placeholder={t('members.search_hint')}
        type="search"
        value={typed}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          look(value);
        }}
      />
      <NativeSelect
        label={t('members.status')}
        value={search.status ?? 'linked'}
        data={statuses.map((value) => ({ value, label: labelOf(value) }))}
        onChange={({ currentTarget: { value } }) =>
          change({ status: statuses.find((each) => each === value && each !== 'linked') })
        }
      />
      <ByRole search={search} change={change} />
      <ByRank search={search} change={change} />
      <ChoiceOrNone
        label={t('members.state')}
        none={t('members.any')}
        value={search.state}
        options={syncStates.map((value) => ({ value, label: t(`member_state.${value}`) }))}
        onChange={(state) => change({ state })}
      />
    </search>
  );
}

/** The mapped roles, highest first. */
function ByRole({ search, change }: { search: MembersSearch; change: ChangeSearch }) {
  const { t } = useWords();
  const nameOf = useRoleName();
  const mapped = [...useRoles().values()].filter(
    ({ mappings, roleId }) => mappings.length > 0 || roleId === search.role,
  );
  return (
    <ChoiceOrNone
      label={t('preview.role')}
      none={t('members.any')}
      value={search.role}
      options={mapped
        .sort((a, b) => b.position - a.position)
        .map(({ roleId }) => ({ value: roleId, label: nameOf(roleId) }))}
      onChange={(role) => change({ role })}
    />
  );
}

/** The attached groups' ranks, highest first; with several groups each says its own. */
function ByRank({ search, change }: { search: MembersSearch; change: ChangeSearch }) {
  const { t } = useWords();
  const groups = [...useGroups().values()];
  const ranks = groups.flatMap(({ groupId, name: group, roles }) =>
    roles
      .filter(({ rank }) => rank > 0)
      .toReversed()
      .map(({ gameRoleId, name }) => ({
        value: `${groupId}:${gameRoleId}`,
        label: groups.length > 1 ? `${name} · ${group}` : name,
      })),
  );
  return (
    <ChoiceOrNone
      label={t('members.rank')}
      none={t('members.any')}
      value={search.rank}
      options={ranks}
      onChange={(rank) => change({ rank })}
    />
  );
}
