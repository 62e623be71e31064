import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { guildKey } from '../../api/queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { loadLateWords } from '../../i18n/words.js';
import { useWords } from '../../i18n/words-provider.js';
import { LinkButton } from '../../parts/link-button.js';
import { Page } from '../../parts/page.js';
import { Empty, Failed } from '../../parts/states.js';
import { Waiting } from '../../parts/waiting.js';
import css from './members.module.css';
import { MembersFilters, useCounts } from './members-filters.js';
import { filtersOf } from './members-query.js';
import type { ChangeSearch, MembersSearch } from './members-search.js';
import { MembersTable, nameId } from './members-table.js';

const SelectedMembers = lazy(async () => {
  const [part] = await Promise.all([import('./selected-members.js'), loadLateWords('ranking')]);
  return { default: part.SelectedMembers };
});
const MemberPanel = lazy(async () => ({ default: (await import('./member-panel.js')).MemberPanel }));

const pageSize = 50;

/** The server's people: found, filtered and sorted in the address, with a panel that answers why. */
export function MembersPage() {
  const { t } = useWords();
  const search = useSearch({ from: '/g/$guildId/members' });
  const navigate = useNavigate({ from: '/g/$guildId/members' });
  const change: ChangeSearch = (changed) =>
    navigate({
      search: (before) => {
        const merged = Object.entries({ ...before, ...changed }).filter(([, value]) => value !== undefined);
        return Object.fromEntries(merged) as MembersSearch;
      },
      // The browser's way back closes a person's panel, and does not go through every letter of a search.
      replace: changed.member === undefined,
      resetScroll: false,
    });
  const close = usePanel(search.member, () => change({ member: undefined }));
  return (
    <Page title={t('nav.members')} lead={t('members.lead')}>
      <MembersFilters search={search} change={change} />
      <MembersList search={search} change={change} />
      {search.member !== undefined && (
        <Suspense>
          <MemberPanel memberId={search.member} onClose={close} />
        </Suspense>
      )}
    </Page>
  );
}

/**
 * Closes a person's panel. If it was opened here, goes back, so that no second history entry is left. However it is
 * closed, the name that opened it gets the focus again.
 */
function usePanel(memberId: string | undefined, remove: () => unknown): () => unknown {
  const { history } = useRouter();
  const first = useRef(memberId);
  const last = useRef(memberId);
  useEffect(() => {
    if (memberId === undefined && last.current !== undefined) {
      document.getElementById(nameId(last.current))?.focus({ preventScroll: true });
    }
    last.current = memberId;
  }, [memberId]);
  return () => {
    if (memberId !== first.current) return history.back();
    first.current = undefined;
    return remove();
  };
}

function MembersList({ search, change }: { search: MembersSearch; change: ChangeSearch }) {
  const { t, number } = useWords();
  const { guildId } = useGuild();
  const { q, status, sort } = search;
  const isNarrowed = [search.role, search.rank, search.state].some((value) => value !== undefined);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const total = useCounts(search)?.[status ?? 'linked'];
  const filter = { ...filtersOf(search), ...(sort && { sort }), limit: pageSize };
  const members = useInfiniteQuery({
    queryKey: [...guildKey(guildId), 'members', filter],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      answerOf(
        api.GET('/api/guilds/{guildId}/members', {
          params: { path: { guildId }, query: { ...filter, ...(pageParam !== '' && { cursor: pageParam }) } },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  if (members.isPending)
    return (
      <Waiting
        shape={[
          ['lines', 1],
          ['table', 8],
        ]}
      />
    );
  if (members.isError) return <Failed error={members.error} onRetry={members.refetch} />;
  const all = members.data.pages.flatMap(({ data }) => data);
  const chosen = all.filter(({ memberId }) => selected.has(memberId));
  if (all.length === 0 && isNarrowed) {
    const clear = () => change({ role: undefined, rank: undefined, state: undefined });
    return (
      <Empty
        title={t('members.none_filtered')}
        action={
          <Button variant="default" onClick={clear}>
            {t('members.clear_filters')}
          </Button>
        }
      />
    );
  }
  if (all.length === 0) {
    return q === undefined ? (
      <Empty
        title={t('members.none')}
        action={
          <LinkButton to="/g/$guildId" params={{ guildId }} variant="default">
            {t('nav.overview')}
          </LinkButton>
        }
      >
        {t('members.none_why')}
      </Empty>
    ) : (
      <Empty title={t('members.none_found', { q })}>{t('members.none_found_why')}</Empty>
    );
  }
  return (
    <>
      <p className={css.count} role="status">
        {members.hasNextPage && total !== undefined
          ? t('members.shown_of', { count: number(all.length), total })
          : t(members.hasNextPage ? 'members.shown_more' : 'members.shown', { count: all.length })}
      </p>
      <Suspense>
        {chosen.length > 0 && <SelectedMembers members={chosen} onClear={() => setSelected(new Set())} />}
      </Suspense>
      <MembersTable
        members={all}
        sort={sort ?? '-linkedAt'}
        change={change}
        selected={selected}
        onSelect={setSelected}
      />
      {members.hasNextPage && (
        <Button variant="default" mt="md" loading={members.isFetchingNextPage} onClick={() => members.fetchNextPage()}>
          {t('list.more')}
        </Button>
      )}
    </>
  );
}
