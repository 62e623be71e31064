import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type RankChange, rankChangesQuery } from '../../api/ranking-queries.js';
import { pageShapes } from '../../frame/page-shapes.js';
import { GroupPage } from '../../guild/group-page.js';
import { useGuild } from '../../guild/guild-context.js';
import { useUndoRank } from '../../guild/use-undo-rank.js';
import { useWords } from '../../i18n/words-provider.js';
import { TextLink } from '../../parts/link-button.js';
import { useNow } from '../../parts/now.js';
import { Section } from '../../parts/page.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { Answered, Empty } from '../../parts/states.js';
import { Table } from '../../parts/table.js';
import { RankingRulesForm } from './ranking-rules-form.js';
import css from './ranks.module.css';

/** The changes of ranks in a group, with their undo, and the rules for them. */
export function RanksPage() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const { groupId } = useParams({ from: '/g/$guildId/groups/$groupId/ranks' });
  const ways = (
    <>
      <TextLink to="/g/$guildId/groups/$groupId/requests" params={{ guildId, groupId }}>
        {t('groups.requests')}
      </TextLink>
      <TextLink to="/g/$guildId/groups" params={{ guildId }}>
        {t('nav.groups')}
      </TextLink>
    </>
  );
  return (
    <GroupPage
      groupId={groupId}
      titles={['groups.change_ranks', 'ranks.title']}
      lead="ranks.lead"
      actions={ways}
      shape={pageShapes.ranks.parts}
    >
      {(group) => (
        <>
          <Section title={t('ranks.recent')} plain>
            <Changes groupId={groupId} />
          </Section>
          <Section title={t('ranks.rules')}>
            <RankingRulesForm group={group} />
          </Section>
        </>
      )}
    </GroupPage>
  );
}

function Changes({ groupId }: { groupId: string }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const changes = useInfiniteQuery(rankChangesQuery(guildId, groupId));
  return (
    <Answered query={changes} shape={[['rows', 4]]}>
      {({ pages }) => {
        const all = pages.flatMap(({ data }) => data);
        if (all.length === 0) return <Empty title={t('ranks.none')}>{t('ranks.none_why')}</Empty>;
        return (
          <>
            <ScrollTable label={t('groups.change_ranks')}>
              <Table.Thead>
                <Table.Tr>
                  {(['person', 'roles', 'author', 'when', 'state'] as const).map((name) => (
                    <Table.Th key={name} scope="col">
                      {t(`ranks.${name}`)}
                    </Table.Th>
                  ))}
                  <Table.Th scope="col">{t('action.acts')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {all.map((change) => (
                  <Row key={change.changeId} change={change} />
                ))}
              </Table.Tbody>
            </ScrollTable>
            {changes.hasNextPage && (
              <Button variant="default" loading={changes.isFetchingNextPage} onClick={() => changes.fetchNextPage()}>
                {t('list.more')}
              </Button>
            )}
          </>
        );
      }}
    </Answered>
  );
}

const namesOf = (roles: RankChange['before']): string => roles.map(({ name }) => name).join(', ');

function Row({ change }: { change: RankChange }) {
  const words = useWords();
  const { t } = words;
  const now = useNow();
  const undo = useUndoRank(change.groupId);
  const { changeId, gameUsername, before, after, actor, at, state, reason, undoableUntil, undoneBy } = change;
  return (
    <Table.Tr>
      <Table.Td>
        <strong>{gameUsername}</strong>
      </Table.Td>
      <Table.Td data-label={t('ranks.roles')}>
        {t('ranks.from_to', { from: namesOf(before), to: namesOf(after) })}
        {reason !== null && <span className={css.reason}>{reason}</span>}
      </Table.Td>
      <Table.Td data-label={t('ranks.author')}>{actor.name}</Table.Td>
      <Table.Td data-label={t('ranks.when')}>
        <time dateTime={at}>{words.ago(at, now)}</time>
      </Table.Td>
      <Table.Td data-label={t('ranks.state')}>{t(`ranks.${undoneBy === null ? state : 'undone'}`)}</Table.Td>
      <Table.Td>
        {undoableUntil !== null && (
          <Button
            size="xs"
            variant="default"
            aria-label={t('action.of', { act: t('ranks.undo'), name: gameUsername })}
            onClick={() => undo(changeId)}
          >
            {t('ranks.undo')}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
