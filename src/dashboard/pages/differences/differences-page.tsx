import { Button, NativeSelect, Table } from '@mantine/core';
import { queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../api/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { guildKey, settingsQuery } from '../../api/queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { RoleChips } from '../../guild/role-names.js';
import { useWords } from '../../i18n/words-provider.js';
import { LinkButton, TextLink } from '../../parts/link-button.js';
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
  const settings = useQuery(settingsQuery(guildId));
  const observes = settings.data?.value.mode === 'observe';
  return (
    <Page title={t('nav.differences')} lead={t('differences.lead')} actions={observes && <GoLive />}>
      <UndoSwitch />
      <Answered query={settings} lines={6}>
        {() => (observes ? <Differences /> : <Enforcing />)}
      </Answered>
    </Page>
  );
}

function Enforcing() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const toPreview = (
    <LinkButton to="/g/$guildId/preview" params={{ guildId }} variant="default">
      {t('nav.preview')}
    </LinkButton>
  );
  return (
    <Empty title={t('differences.enforcing')} action={toPreview}>
      {t('differences.enforcing_why')}
    </Empty>
  );
}

function Differences() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const [reason, setReason] = useState<Reason>();
  const counts = useQuery(countsQuery(guildId));
  return (
    <>
      <Answered query={counts} lines={2}>
        {(data) => (
          <>
            <section className={css.sum} aria-label={t('preview.sum')}>
              <strong>{t('differences.sum', { matching: data.matching, differing: data.differing })}</strong>
              <span className={css.quiet}>
                {t('differences.sum_roles', { gaining: data.gaining, losing: data.losing, renamed: data.renamed })}
              </span>
            </section>
            {data.differing > 0 && (
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
                <Button component="a" variant="default" href={`/api/guilds/${guildId}/differences/export`}>
                  {t('differences.export')}
                </Button>
              </div>
            )}
          </>
        )}
      </Answered>
      <DifferencesList reason={reason} />
    </>
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
  if (list.error !== null) return <Failed error={list.error} onRetry={list.refetch} />;
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

function DifferenceRow({ difference }: { difference: Schemas['Difference'] }) {
  const { t, day } = useWords();
  const { guildId } = useGuild();
  const { memberId, chatUsername, gameUsername, add, remove, reasons, since } = difference;
  const codes = [...new Set(reasons.map(({ code }) => code))];
  return (
    <Table.Tr>
      <Table.Td>
        <TextLink to="/g/$guildId/members" params={{ guildId }} search={{ member: memberId }} size="sm" fw={600}>
          {chatUsername}
        </TextLink>
        {gameUsername !== null && <div className={css.quiet}>{gameUsername}</div>}
      </Table.Td>
      <Table.Td className={css.roles ?? ''}>
        <RoleChips ids={add} as="given" /> <RoleChips ids={remove} as="taken" />
      </Table.Td>
      <Table.Td className={css.why ?? ''}>
        <details>
          <summary>{codes.map((code) => t(`difference_reason.${code}`)).join(' · ')}</summary>
          <ul className={css.reasons}>
            {reasons.map(({ words }) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        </details>
      </Table.Td>
      <Table.Td className={css.since ?? ''}>{day(since)}</Table.Td>
    </Table.Tr>
  );
}
