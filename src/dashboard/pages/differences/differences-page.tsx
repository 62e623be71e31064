import { Alert, Button, NativeSelect, Table } from '@mantine/core';
import { queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../api/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { guildKey } from '../../api/queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { RoleChips } from '../../guild/role-names.js';
import { useWords } from '../../i18n/words-provider.js';
import { Page } from '../../parts/page.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { Answered, Empty, Failed, Waiting } from '../../parts/states.js';
import css from './differences.module.css';
import { GoLive } from './go-live.js';
import { UndoSwitch } from './undo-switch.js';

type Counts = Schemas['DifferenceCounts'];
type Reason = Counts['byReason'][number]['reason'];

const pageSize = 50;

const countsQuery = (guildId: string) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'difference-counts'],
    queryFn: () => answerOf(api.GET('/api/guilds/{guildId}/differences/counts', { params: { path: { guildId } } })),
  });

/** The changes if Rolelink gave the roles, and the switch to that. */
export function DifferencesPage() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const [reason, setReason] = useState<Reason>();
  const counts = useQuery(countsQuery(guildId));
  return (
    <Page title={t('nav.differences')} lead={t('differences.lead')} actions={<GoLive />}>
      <UndoSwitch />
      <Answered query={counts} lines={2}>
        {(data) => (
          <>
            <Alert mb="md" title={t('differences.sum', { matching: data.matching, differing: data.differing })}>
              {t('differences.sum_roles', { gaining: data.gaining, losing: data.losing, renamed: data.renamed })}
            </Alert>
            <div className={css.filters}>
              <NativeSelect
                label={t('differences.by_reason')}
                value={reason ?? ''}
                data={[
                  { value: '', label: t('differences.all') },
                  ...data.byReason.map(({ reason: code, members }) => ({
                    value: code,
                    label: `${t(`difference_reason.${code}`)} (${members})`,
                  })),
                ]}
                onChange={({ currentTarget: { value } }) =>
                  setReason(data.byReason.find((each) => each.reason === value)?.reason)
                }
              />
              <a href={`/api/guilds/${guildId}/differences/export`}>{t('differences.export')}</a>
            </div>
          </>
        )}
      </Answered>
      <DifferencesList reason={reason} />
    </Page>
  );
}

function DifferencesList({ reason }: { reason: Reason | undefined }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const list = useInfiniteQuery({
    queryKey: [...guildKey(guildId), 'differences', reason],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) => {
      const query = { limit: pageSize, ...(reason && { reason }), ...(cursor !== undefined && { cursor }) };
      return answerOf(api.GET('/api/guilds/{guildId}/differences', { params: { path: { guildId }, query } }));
    },
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  if (list.error !== null) return <Failed error={list.error} />;
  if (list.data === undefined) return <Waiting lines={6} />;
  const members = list.data.pages.flatMap(({ data }) => data);
  if (members.length === 0) return <Empty title={t('differences.none')}>{t('differences.none_why')}</Empty>;
  return (
    <>
      <ScrollTable label={t('nav.differences')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('preview.member')}</Table.Th>
            <Table.Th scope="col">{t('preview.roles')}</Table.Th>
            <Table.Th scope="col">{t('differences.why')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {members.map(({ memberId, chatUsername, gameUsername, add, remove, reasons }) => (
            <Table.Tr key={memberId}>
              <Table.Td>
                {chatUsername} {gameUsername !== null && <span className={css.quiet}>{gameUsername}</span>}
              </Table.Td>
              <Table.Td>
                <RoleChips ids={add} as="given" /> <RoleChips ids={remove} as="taken" />
              </Table.Td>
              <Table.Td>{reasons.map(({ words }) => words).join(' ')}</Table.Td>
            </Table.Tr>
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
