import { Checkbox, UnstyledButton, VisuallyHidden } from '@mantine/core';
import type { Member } from '../../api/queries.js';
import { PersonPicture, usePictures } from '../../guild/pictures.js';
import { RoleChips, useRoleName } from '../../guild/role-names.js';
import { useWords } from '../../i18n/words-provider.js';
import { useNow } from '../../parts/now.js';
import { Table } from '../../parts/table.js';
import css from './members.module.css';
import type { ChangeSearch, MemberSort } from './members-search.js';

/** A person's name in the list, which opens their panel. */
export const nameId = (memberId: string): string => `member-${memberId}`;

/** More would make a row higher than its neighbours; the panel has all. */
const mostRoles = 3;

/** One line a person; at 360 px each is a card. A press anywhere in a line opens the person. */
export function MembersTable(props: {
  members: readonly Member[];
  sort: MemberSort;
  change: ChangeSearch;
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
}) {
  const { members, sort, change, selected, onSelect } = props;
  const words = useWords();
  const now = useNow();
  const { t } = words;
  const { avatars, heads } = usePictures(members.map(({ memberId }) => memberId));
  const chosen = members.filter(({ memberId }) => selected.has(memberId)).length;
  const select = (memberId: string, isSelected: boolean) => {
    const others = [...selected].filter((id) => id !== memberId);
    onSelect(new Set(isSelected ? [...others, memberId] : others));
  };
  return (
    <Table className={css.table}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">
            <span className={css.person}>
              <Checkbox
                size="xs"
                aria-label={t('members.select_all')}
                checked={chosen === members.length}
                indeterminate={chosen > 0 && chosen < members.length}
                onChange={({ currentTarget: { checked } }) =>
                  onSelect(new Set(checked ? members.map(({ memberId }) => memberId) : []))
                }
              />
              {t('members.discord')}
            </span>
          </Table.Th>
          <SortHeader name="gameUsername" first="gameUsername" sort={sort} change={change} />
          <Table.Th scope="col">{t('nav.roles')}</Table.Th>
          <SortHeader name="linkedAt" first="-linkedAt" sort={sort} change={change} />
          <Table.Th scope="col">{t('members.last_sync')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {members.map(
          ({ memberId, chatUsername, gameUsername, gameDisplayName, state, roleIds, linkedAt, lastSync }) => (
            <Table.Tr key={memberId}>
              <Table.Td>
                <span className={css.person}>
                  <Checkbox
                    size="xs"
                    className={css.check ?? ''}
                    aria-label={t('members.select', { name: chatUsername })}
                    checked={selected.has(memberId)}
                    onChange={({ currentTarget: { checked } }) => select(memberId, checked)}
                  />
                  <PersonPicture src={avatars[memberId]} name={chatUsername} />
                  <UnstyledButton
                    id={nameId(memberId)}
                    className={css.name}
                    onClick={() => change({ member: memberId })}
                  >
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
              <Table.Td>
                {state !== 'in_step' && <NotInStep state={state} />} <RoleChips ids={roleIds.slice(0, mostRoles)} />
                <Others roleIds={roleIds.slice(mostRoles)} />
              </Table.Td>
              <Table.Td>{linkedAt === null ? '–' : words.ago(linkedAt, now)}</Table.Td>
              <Table.Td>
                {lastSync === null ? t('members.never') : words.ago(lastSync.at, now)}
                {lastSync?.error !== undefined && <span className={css.failed}> {t('members.sync_failed')}</span>}
              </Table.Td>
            </Table.Tr>
          ),
        )}
      </Table.Tbody>
    </Table>
  );
}

/** The count of a person's other roles, with their names. */
function Others({ roleIds }: { roleIds: readonly string[] }) {
  const names = roleIds.map(useRoleName()).join(', ');
  if (names === '') return null;
  return (
    <span className={css.others} title={names}>
      <span aria-hidden="true">+{roleIds.length}</span>
      <VisuallyHidden>{names}</VisuallyHidden>
    </span>
  );
}

/** Why a person is not in step with the mappings; nothing is said about those that are. */
function NotInStep({ state }: Pick<Member, 'state'>) {
  const { t } = useWords();
  return (
    <span className={css.notInStep}>
      <span aria-hidden="true">•</span> {t(`member_state.${state}`)}
    </span>
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
