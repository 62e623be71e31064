import { Anchor } from '@mantine/core';
import type { JoinRequest } from '../../api/ranking-queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { TextLink } from '../../parts/link-button.js';
import { useNow } from '../../parts/now.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { Table } from '../../parts/table.js';
import { TickBox } from '../../parts/tick-box.js';
import css from './requests.module.css';

/** One line a request; on a phone each is a card. */
export function RequestsTable(props: {
  requests: readonly JoinRequest[];
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
}) {
  const { requests, chosen, onChoose } = props;
  const { t } = useWords();
  const ids = requests.map(({ gameUserId }) => gameUserId);
  const count = ids.filter((id) => chosen.has(id)).length;
  const choose = (id: string, isChosen: boolean) =>
    onChoose(new Set(isChosen ? [...chosen, id] : [...chosen].filter((each) => each !== id)));
  return (
    <div className={css.table}>
      <ScrollTable label={t('groups.requests')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">
              <span className={css.person}>
                <TickBox
                  aria-label={t('members.select_all')}
                  checked={count === ids.length}
                  indeterminate={count > 0 && count < ids.length}
                  onChange={({ currentTarget: { checked } }) => onChoose(new Set(checked ? ids : []))}
                />
                {t('members.gameUsername')}
              </span>
            </Table.Th>
            <Table.Th scope="col">{t('members.discord')}</Table.Th>
            <Table.Th scope="col">{t('requests.made')}</Table.Th>
            <Table.Th scope="col">{t('requests.asked')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {requests.map((request) => (
            <Row
              key={request.gameUserId}
              request={request}
              isChosen={chosen.has(request.gameUserId)}
              onChoose={(isChosen) => choose(request.gameUserId, isChosen)}
            />
          ))}
        </Table.Tbody>
      </ScrollTable>
    </div>
  );
}

function Row(props: { request: JoinRequest; isChosen: boolean; onChoose: (isChosen: boolean) => void }) {
  const { request, isChosen, onChoose } = props;
  const words = useWords();
  const { t } = words;
  const { guildId } = useGuild();
  const now = useNow();
  const { gameUserId, gameUsername, gameDisplayName, accountCreatedAt, requestedAt, member } = request;
  return (
    <Table.Tr>
      <Table.Td>
        <span className={css.person}>
          <TickBox
            aria-label={t('members.select', { name: gameUsername })}
            checked={isChosen}
            onChange={({ currentTarget: { checked } }) => onChoose(checked)}
          />
          <span>
            <Anchor
              href={`https://www.roblox.com/users/${gameUserId}/profile`}
              target="_blank"
              rel="noreferrer"
              inherit
            >
              {gameUsername}
            </Anchor>
            {gameDisplayName !== gameUsername && <span className={css.note}> {gameDisplayName}</span>}
          </span>
        </span>
      </Table.Td>
      <Table.Td data-label={t('members.discord')}>
        {member === null ? (
          '–'
        ) : (
          <TextLink to="/g/$guildId/members" params={{ guildId }} search={{ member: member.memberId }} inherit>
            {member.username}
          </TextLink>
        )}
      </Table.Td>
      <Table.Td data-label={t('requests.made')}>
        {accountCreatedAt === null ? t('requests.no_account') : <Time at={accountCreatedAt} now={now} />}
      </Table.Td>
      <Table.Td data-label={t('requests.asked')}>
        <Time at={requestedAt} now={now} />
      </Table.Td>
    </Table.Tr>
  );
}

function Time({ at, now }: { at: string; now: number }) {
  const { ago } = useWords();
  return <time dateTime={at}>{ago(at, now)}</time>;
}
