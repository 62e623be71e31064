import { Button, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type AdminGuildFilter, adminGuildsQuery } from '../../api/admin-queries.js';
import { useWords } from '../../i18n/words-provider.js';
import { ChoiceOrNone } from '../../parts/choice.js';
import { Empty, Failed } from '../../parts/states.js';
import { Waiting } from '../../parts/waiting.js';
import css from './admin.module.css';
import { type AdminSearch, plans, standings } from './admin-search.js';
import { ServerCards } from './server-cards.js';

type Change = (changed: { [Key in keyof AdminSearch]: AdminSearch[Key] | undefined }) => unknown;

/** The bot's present and former servers; the search is in the address. */
export function AllServers() {
  const search = useSearch({ from: '/admin/' });
  const navigate = useNavigate({ from: '/admin/' });
  const change: Change = (changed) =>
    navigate({
      search: (before) => {
        const merged = Object.entries({ ...before, ...changed }).filter(([, value]) => value !== undefined);
        return Object.fromEntries(merged) as AdminSearch;
      },
      replace: true,
      resetScroll: false,
    });
  return (
    <>
      <Filters search={search} change={change} />
      <List search={search} />
    </>
  );
}

function Filters({ search, change }: { search: AdminSearch; change: Change }) {
  const { t } = useWords();
  const [typed, setTyped] = useState(search.q ?? '');
  const look = useDebouncedCallback((q: string) => change({ q: q === '' ? undefined : q }), 300);
  return (
    <search className={css.filters}>
      <TextInput
        label={t('admin.search')}
        description={t('admin.search_hint')}
        type="search"
        maxLength={100}
        value={typed}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          look(value);
        }}
      />
      <ChoiceOrNone
        label={t('admin.standing')}
        none={t('admin.all')}
        value={search.standing}
        options={standings.map((value) => ({ value, label: t(`admin.standing_${value}`) }))}
        onChange={(standing) => change({ standing })}
      />
      <ChoiceOrNone
        label={t('admin.plan')}
        none={t('admin.all')}
        value={search.plan}
        options={plans.map((value) => ({ value, label: t(`plan.${value}`) }))}
        onChange={(plan) => change({ plan })}
      />
    </search>
  );
}

function filterOf({ q, plan, standing }: AdminSearch): AdminGuildFilter {
  return {
    ...(q !== undefined && { q }),
    ...(plan !== undefined && { plan }),
    ...(standing === 'suspended' && { state: 'suspended' }),
    ...(standing === 'present' && { present: 'true' }),
    ...(standing === 'left' && { present: 'false' }),
  };
}

function List({ search }: { search: AdminSearch }) {
  const { t } = useWords();
  const guilds = useInfiniteQuery(adminGuildsQuery(filterOf(search)));
  if (guilds.isPending)
    return (
      <Waiting
        shape={[
          ['lines', 1],
          ['rows', 6],
        ]}
      />
    );
  if (guilds.isError) return <Failed error={guilds.error} onRetry={guilds.refetch} />;
  const all = guilds.data.pages.flatMap(({ data }) => data);
  if (all.length === 0)
    return Object.keys(search).length === 0 ? (
      <Empty title={t('admin.none')}>{t('admin.none_why')}</Empty>
    ) : (
      <Empty title={t('admin.none_found')}>{t('admin.none_found_why')}</Empty>
    );
  return (
    <>
      <p className={css.quiet} role="status">
        {t(guilds.hasNextPage ? 'admin.shown_more' : 'admin.shown', { count: all.length })}
      </p>
      <ServerCards guilds={all} />
      {guilds.hasNextPage && (
        <Button variant="default" mt="md" loading={guilds.isFetchingNextPage} onClick={() => guilds.fetchNextPage()}>
          {t('list.more')}
        </Button>
      )}
    </>
  );
}
