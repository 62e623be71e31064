import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Schemas } from '../../../client/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { guildKey } from '../../api/queries.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { useLeaveOut } from '../../guild/leave-out.js';
import { RoleChips } from '../../guild/role-names.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { TextLink } from '../../parts/link-button.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { Empty, Failed } from '../../parts/states.js';
import { Table } from '../../parts/table.js';
import { Waiting } from '../../parts/waiting.js';
import { type Counts, filterOf } from './changes-search.js';
import css from './differences.module.css';
import { kindsOf } from './effect-tabs.js';
import { useFilters } from './use-filters.js';

const pageSize = 50;

/** The members with a difference in the shown kind that match the filters, the newest first. */
export function DifferencesList({ counts }: { counts: Counts }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const { search } = useFilters();
  const kinds = kindsOf(counts);
  const filter = filterOf({ ...search, effect: kinds.find((each) => each === search.effect) ?? kinds[0] ?? 'all' });
  const list = useInfiniteQuery({
    queryKey: [...guildKey(guildId), 'differences', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) => {
      const query = { limit: pageSize, ...filter, ...(cursor !== undefined && { cursor }) };
      return answerOf(api.GET('/api/guilds/{guildId}/differences', { params: { path: { guildId }, query } }));
    },
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  if (list.error !== null) return <Failed error={list.error} onRetry={list.refetch} />;
  if (list.data === undefined) return <Waiting shape={[['table', 6]]} />;
  const members = list.data.pages.flatMap(({ data }) => data);
  if (members.length === 0) return <NoDifferences isFiltered={counts.differing > 0} />;
  return (
    <>
      <ScrollTable label={t('changes.compare')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('preview.member')}</Table.Th>
            <Table.Th scope="col">{t('preview.roles')}</Table.Th>
            <Table.Th scope="col">{t('differences.why')}</Table.Th>
            <Table.Th scope="col">{t('differences.since')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {members.map((difference) => (
            <DifferenceRow key={difference.memberId} difference={difference} />
          ))}
        </Table.Tbody>
      </ScrollTable>
      {list.hasNextPage && (
        <Button variant="default" mt="md" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t('list.more')}
        </Button>
      )}
    </>
  );
}

function NoDifferences({ isFiltered }: { isFiltered: boolean }) {
  const { t } = useWords();
  const { change } = useFilters();
  if (!isFiltered) return <Empty title={t('differences.none')}>{t('differences.none_why')}</Empty>;
  const toAll = (
    <Button variant="default" onClick={() => change({ role: undefined, reason: undefined, effect: 'all' })}>
      {t('differences.show_all')}
    </Button>
  );
  return <Empty title={t('differences.none_found')} action={toAll} />;
}

function DifferenceRow({ difference }: { difference: Schemas['Difference'] }) {
  const { day } = useWords();
  const { guildId } = useGuild();
  const { memberId, chatUsername, gameUsername, add, remove, nickname, nicknameNow, reasons, since } = difference;
  return (
    <Table.Tr>
      <Table.Td>
        <TextLink
          to="/g/$guildId/members"
          params={{ guildId }}
          search={{ member: memberId }}
          className={css.name ?? ''}
          size="sm"
          fw={600}
        >
          {chatUsername}
        </TextLink>
        {gameUsername !== null && <div className={css.quiet}>{gameUsername}</div>}
      </Table.Td>
      <Table.Td className={css.roles ?? ''}>
        <RoleChips ids={remove} as="taken" /> <RoleChips ids={add} as="given" />
        {nickname !== undefined && <Rename from={nicknameNow} to={nickname} />}
      </Table.Td>
      <Table.Td className={css.why ?? ''}>
        <ul className={css.reasons}>
          {reasons.map(({ words }) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
      </Table.Td>
      <Table.Td className={css.since ?? ''}>
        <span className={css.person}>
          {day(since)}
          <LeaveOut memberId={memberId} name={chatUsername} />
        </span>
      </Table.Td>
    </Table.Tr>
  );
}

function LeaveOut({ memberId, name }: { memberId: string; name: string }) {
  const { t } = useWords();
  const reason = useReasonAgainst('admin');
  const leaveOut = useLeaveOut();
  return (
    <ActButton
      size="xs"
      variant="default"
      reason={reason}
      aria-label={`${t('left_out.leave')}: ${name}`}
      loading={leaveOut.isPending}
      onClick={() => leaveOut.mutate({ memberId, leftOut: true })}
    >
      {t('left_out.leave')}
    </ActButton>
  );
}

function Rename({ from, to }: { from: string | null; to: string | null }) {
  const { t } = useWords();
  const none = t('changes.no_name');
  return <div className={css.quiet}>{t('changes.rename', { from: from ?? none, to: to ?? none })}</div>;
}
