import { Table, UnstyledButton } from '@mantine/core';
import type { Member } from '../../api/queries.js';
import { PersonPicture, usePictures } from '../../guild/pictures.js';
import { useWords } from '../../i18n/words-provider.js';
import { useNow } from '../../parts/now.js';
import css from './members.module.css';
import type { ChangeSearch } from './members-page.js';
import type { MemberSort } from './members-search.js';

/** One line a person; at 360 px each is a card. */
export function MembersTable({
  members,
  sort,
  change,
}: {
  members: readonly Member[];
  sort: MemberSort;
  change: ChangeSearch;
}) {
  const words = useWords();
  const now = useNow();
  const { t } = words;
  const { avatars, heads } = usePictures(members.map(({ memberId }) => memberId));
  return (
    <Table className={css.table}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{t('members.discord')}</Table.Th>
          <SortHeader name="gameUsername" first="gameUsername" sort={sort} change={change} />
          <Table.Th scope="col">{t('members.status')}</Table.Th>
          <SortHeader name="linkedAt" first="-linkedAt" sort={sort} change={change} />
          <Table.Th scope="col">{t('members.last_sync')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {members.map(({ memberId, chatUsername, gameUsername, gameDisplayName, status, linkedAt, lastSync }) => (
          <Table.Tr key={memberId}>
            <Table.Td>
              <span className={css.person}>
                <PersonPicture src={avatars[memberId]} name={chatUsername} />
                <UnstyledButton className={css.name} onClick={() => change({ member: memberId })}>
                  {chatUsername}
                </UnstyledButton>
              </span>
            </Table.Td>
            <Table.Td>
              <span className={css.person}>
                {gameUsername !== null && <PersonPicture src={heads[memberId]} name={gameUsername} />}
                <span>
                  {gameUsername ?? '–'}
                  {gameDisplayName !== null && gameDisplayName !== gameUsername && (
                    <span className={css.quiet}> {gameDisplayName}</span>
                  )}
                </span>
              </span>
            </Table.Td>
            <Table.Td>{t(`member_status.${status}`)}</Table.Td>
            <Table.Td>{linkedAt === null ? '–' : words.ago(linkedAt, now)}</Table.Td>
            <Table.Td>
              {lastSync === null ? t('members.never') : words.ago(lastSync.at, now)}
              {lastSync?.error !== undefined && <span className={css.failed}> {t('members.sync_failed')}</span>}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** A heading that sorts by its column: once more turns it round. */
function SortHeader(props: {
  name: 'gameUsername' | 'linkedAt';
  first: MemberSort;
  sort: MemberSort;
  change: ChangeSearch;
}) {
  const { name, first, sort, change } = props;
  const { t } = useWords();
  const [up, down] = [name, `-${name}`] as const;
  const direction = sort === up ? 'ascending' : sort === down ? 'descending' : undefined;
  const next = direction === undefined ? first : direction === 'ascending' ? down : up;
  const arrow = direction === undefined ? '↕' : direction === 'ascending' ? '↑' : '↓';
  return (
    <Table.Th scope="col" aria-sort={direction ?? 'none'}>
      <UnstyledButton className={css.sort} onClick={() => change({ sort: next })}>
        {t(`members.${name}`)} <span aria-hidden="true">{arrow}</span>
      </UnstyledButton>
    </Table.Th>
  );
}
