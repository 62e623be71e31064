import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type JoinRequest, joinRequestsQuery } from '../../api/ranking-queries.js';
import { pageShapes } from '../../frame/page-shapes.js';
import { GroupPage } from '../../guild/group-page.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { TextLink } from '../../parts/link-button.js';
import { Answered, Empty } from '../../parts/states.js';
import { AnswerRequests, AnswersList } from './answer-requests.js';
import type { RequestAnswer } from './request-answers.js';
import { RequestsTable } from './requests-table.js';

/** The people asking to join a group, accepted or declined together. */
export function RequestsPage() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const { groupId } = useParams({ from: '/g/$guildId/groups/$groupId/requests' });
  const ranks = (
    <TextLink to="/g/$guildId/groups/$groupId/ranks" params={{ guildId, groupId }}>
      {t('groups.change_ranks')}
    </TextLink>
  );
  return (
    <GroupPage
      groupId={groupId}
      titles={['groups.requests', 'requests.title']}
      lead="requests.lead"
      actions={ranks}
      shape={pageShapes.requests.parts}
    >
      {(group) => group.ranking && <Requests groupId={groupId} />}
    </GroupPage>
  );
}

function Requests({ groupId }: { groupId: string }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const requests = useInfiniteQuery(joinRequestsQuery(guildId, groupId));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [answers, setAnswers] = useState<readonly RequestAnswer[]>([]);
  const clear = () => setChosen(new Set());
  return (
    <>
      <AnswersList answers={answers} />
      <Answered query={requests} shape={[['table', 4]]}>
        {({ pages }) => {
          const all = pages.flatMap(({ data }) => data);
          if (all.length === 0) return <Empty title={t('requests.none')}>{t('requests.none_why')}</Empty>;
          const selected = all.filter(({ gameUserId }: JoinRequest) => chosen.has(gameUserId));
          return (
            <>
              {selected.length > 0 && (
                <AnswerRequests groupId={groupId} requests={selected} onAnswers={setAnswers} onClear={clear} />
              )}
              <RequestsTable requests={all} chosen={chosen} onChoose={setChosen} />
              {requests.hasNextPage && (
                <Button
                  variant="default"
                  loading={requests.isFetchingNextPage}
                  onClick={() => requests.fetchNextPage()}
                >
                  {t('list.more')}
                </Button>
              )}
            </>
          );
        }}
      </Answered>
    </>
  );
}
