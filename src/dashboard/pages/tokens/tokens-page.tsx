import { Button } from '@mantine/core';
import { useMutation, usePrefetchQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { holdToken } from '../../api/held-token.js';
import { type Token, teamQuery, tokensQuery } from '../../api/team-queries.js';
import { pageShapes } from '../../frame/page-shapes.js';
import { ForRole } from '../../guild/for-role.js';
import { useGuild } from '../../guild/guild-context.js';
import { useTeamNames } from '../../guild/team-names.js';
import { loadLateWords } from '../../i18n/words.js';
import { useWords } from '../../i18n/words-provider.js';
import { CodeText } from '../../parts/code-text.js';
import { Confirm } from '../../parts/confirm.js';
import { CopyButton } from '../../parts/copy-button.js';
import { useNow } from '../../parts/now.js';
import { Page } from '../../parts/page.js';
import { RowMenu } from '../../parts/row-menu.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { ShownOnce } from '../../parts/shown-once.js';
import { Answered, Empty } from '../../parts/states.js';
import { Table } from '../../parts/table.js';
import type { NewToken } from './token-form.js';
import css from './tokens.module.css';

const TokenForm = lazy(async () => {
  const [part] = await Promise.all([import('./token-form.js'), loadLateWords('ranking')]);
  return { default: part.TokenForm };
});

const RankerLimits = lazy(async () => {
  const [part] = await Promise.all([import('./ranker-limits.js'), loadLateWords('ranking')]);
  return { default: part.RankerLimits };
});

export function TokensPage() {
  const { t } = useWords();
  return (
    <ForRole least="admin" title={t('nav.tokens')}>
      <Tokens />
    </ForRole>
  );
}

function Tokens() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const tokens = useQuery(tokensQuery(guildId));
  // Its names are shown beside the tokens.
  usePrefetchQuery(teamQuery(guildId));
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<NewToken>();
  const make = <Button onClick={() => setMaking(true)}>{t('tokens.make')}</Button>;
  return (
    <Page title={t('nav.tokens')} lead={t('tokens.lead')} actions={tokens.data?.length !== 0 && make}>
      <Answered query={tokens} shape={pageShapes.tokens.parts}>
        {(data) =>
          data.length > 0 ? (
            <List tokens={data} />
          ) : (
            <Empty title={t('tokens.none')} action={make}>
              {t('tokens.none_why')}
            </Empty>
          )
        }
      </Answered>
      {making && (
        <Suspense>
          <TokenForm onClose={() => setMaking(false)} onMade={setMade} />
        </Suspense>
      )}
      {made !== undefined && <NewlyMade made={made} onClose={() => setMade(undefined)} />}
    </Page>
  );
}

/** The token with a working command: a read, or a promotion, if its role may make one. */
function NewlyMade({ made: { token, role, ranking }, onClose }: { made: NewToken; onClose: () => void }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const navigate = useNavigate();
  const tryIt = () => {
    holdToken(token);
    void navigate({ to: '/docs/try', search: { operation: 'getGuild', guildId } });
  };
  const isReader = !['game', 'verifier', 'ranker'].includes(role);
  const next = isReader ? { act: t('tokens.try_it'), onPress: tryIt } : undefined;
  const begin = `curl -H "Authorization: Bot ${token}"`;
  const guild = `${location.origin}/api/guilds/${guildId}`;
  const [groupId] = ranking?.groupIds ?? [];
  const body = '{"gameUserId":"USER_ID","step":1}';
  return (
    <ShownOnce title={t('tokens.new')} secret={token} onClose={onClose} next={next}>
      {isReader && <Line words={t('tokens.try')} line={`${begin} ${guild}`} />}
      {groupId !== undefined && (
        <Line words={t('token_ranks.line')} line={`${begin} --json '${body}' ${guild}/groups/${groupId}/ranks`} />
      )}
    </ShownOnce>
  );
}

function Line({ words, line }: { words: string; line: string }) {
  const { t } = useWords();
  return (
    <>
      <p className={css.words}>{words}</p>
      <div className={css.line}>
        <CodeText>{line}</CodeText>
        <CopyButton text={line} what={t('tokens.line')} />
      </div>
    </>
  );
}

function List({ tokens }: { tokens: readonly Token[] }) {
  const { t } = useWords();
  const names = useTeamNames(tokens.map(({ createdBy }) => createdBy));
  return (
    <div className={css.table}>
      <ScrollTable label={t('nav.tokens')}>
        <Table.Thead>
          <Table.Tr>
            {(['name', 'role', 'made_by', 'used', 'expires'] as const).map((name) => (
              <Table.Th key={name} scope="col">
                {t(`tokens.${name}`)}
              </Table.Th>
            ))}
            <Table.Th scope="col">{t('action.acts')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {tokens.map((token) => (
            <Row key={token.tokenId} token={token} maker={names[token.createdBy] ?? token.createdBy} />
          ))}
        </Table.Tbody>
      </ScrollTable>
    </div>
  );
}

function Row({ token, maker }: { token: Token; maker: string }) {
  const words = useWords();
  const { t } = words;
  const now = useNow();
  const { name, role, ranking, expiresAt, lastUsedAt } = token;
  const isOver = Date.parse(expiresAt) <= now;
  return (
    <Table.Tr>
      <Table.Td>
        <strong>{name}</strong>
      </Table.Td>
      <Table.Td data-label={t('tokens.role')}>
        {t(`role.${role}`)}
        {ranking != null && (
          <Suspense>
            <RankerLimits limits={ranking} />
          </Suspense>
        )}
      </Table.Td>
      <Table.Td data-label={t('tokens.made_by')}>{maker}</Table.Td>
      <Table.Td data-label={t('tokens.used')}>
        {lastUsedAt === null ? t('tokens.never') : <time dateTime={lastUsedAt}>{words.ago(lastUsedAt, now)}</time>}
      </Table.Td>
      <Table.Td data-label={t('tokens.expires')}>
        {isOver ? t('tokens.over') : <time dateTime={expiresAt}>{words.time(expiresAt)}</time>}
      </Table.Td>
      <Table.Td>
        <RowMenu of={name}>
          <Revoke token={token} />
        </RowMenu>
      </Table.Td>
    </Table.Tr>
  );
}

function Revoke({ token: { tokenId, name } }: { token: Token }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const revoke = useMutation({
    meta: { toast: 'toast.revoked' },
    mutationFn: () =>
      answerOf(api.DELETE('/api/guilds/{guildId}/tokens/{tokenId}', { params: { path: { guildId, tokenId } } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: tokensQuery(guildId).queryKey }),
  });
  return (
    <>
      <Button
        size="xs"
        variant="subtle"
        color="red"
        aria-label={t('action.of', { act: t('tokens.revoke'), name })}
        onClick={() => setAsking(true)}
      >
        {t('tokens.revoke')}
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t('tokens.revoke_title', { name })}
        act={t('tokens.revoke')}
        mutation={revoke}
      >
        <p>{t('tokens.revoke_words')}</p>
      </Confirm>
    </>
  );
}
