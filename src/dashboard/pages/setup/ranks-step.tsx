import { Button } from '@mantine/core';
import { useState } from 'react';
import { holdersWords } from '../../guild/holders-words.js';
import { permissionList } from '../../guild/permission-words.js';
import { RoleChips, useRoleName } from '../../guild/role-names.js';
import { useWords } from '../../i18n/words-provider.js';
import { Section } from '../../parts/page.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { Failed } from '../../parts/states.js';
import { Table } from '../../parts/table.js';
import { MakeMissing } from './make-missing.js';
import { OneRole } from './one-role.js';
import css from './setup.module.css';
import { type Setup, useChangeSetup } from './setup-queries.js';

type Group = NonNullable<Setup['group']>;
type Rank = Group['ranks'][number];

/** Each group rank with its role, highest first, and its problem. */
export function RanksStep({ setup, group, isNext }: { setup: Setup; group: Group; isNext: boolean }) {
  const { missing, highestRoleOnly } = setup;
  const { t } = useWords();
  const change = useChangeSetup();
  const chosen = group.ranks.flatMap(({ gameRoleId, roleIds: [roleId], isChosen }) =>
    isChosen && roleId !== undefined ? [{ gameRoleId, roleId }] : [],
  );
  const choose = (gameRoleId: string, roleId: string | null) => {
    const others = chosen.filter((each) => each.gameRoleId !== gameRoleId);
    change.mutate({ rankRoles: roleId === null ? others : [...others, { gameRoleId, roleId }] });
  };
  return (
    <Section title={t('setup_page.ranks')}>
      <p className={css.first}>{t('setup_page.whole', { group: group.name })}</p>
      {highestRoleOnly && <p>{t('why.highest_only')}</p>}
      <ScrollTable label={t('setup_page.ranks_of', { group: group.name })}>
        <Table.Thead className={css.headings ?? ''}>
          <Table.Tr>
            <Table.Th scope="col">{t('editor.rank')}</Table.Th>
            <Table.Th scope="col">{t('setup_page.on_roblox')}</Table.Th>
            <Table.Th scope="col">{t('setup_page.role')}</Table.Th>
            <Table.Th scope="col">{t('setup_page.state')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {group.ranks.toReversed().map((rank) => (
            <RankRow key={rank.gameRoleId} rank={rank} onChoose={(roleId) => choose(rank.gameRoleId, roleId)} />
          ))}
        </Table.Tbody>
      </ScrollTable>
      <Failed error={change.error} />
      <MakeMissing missing={missing} isNext={isNext} />
    </Section>
  );
}

function RankRow({ rank, onChoose }: { rank: Rank; onChoose: (roleId: string | null) => void }) {
  const words = useWords();
  const { t } = words;
  const nameOf = useRoleName();
  const [isChoosing, setChoosing] = useState(false);
  const { name, rank: place, members, roleIds, holders, problem, isChosen } = rank;
  return (
    <Table.Tr className={css.rankRow ?? ''}>
      <Table.Th scope="row" className={css.rankName ?? ''}>
        {name} <span className={css.quiet}>{place}</span>
      </Table.Th>
      <Table.Td className={css.members ?? ''}>
        {members === null ? '–' : t('groups.members', { count: members })}
      </Table.Td>
      <Table.Td>
        {problem === null && <RoleChips ids={roleIds} />}
        {holders !== null && (
          <span className={css.quiet}> {roleIds.map((roleId) => holdersWords(nameOf(roleId), holders, words))}</span>
        )}
        {problem !== null &&
          (isChoosing ? (
            <OneRole label={t('setup_page.role_for', { rank: name })} isHidden value={null} onChange={onChoose} />
          ) : (
            <Button
              size="xs"
              variant="default"
              aria-label={`${t('setup_page.choose_role')}: ${name}`}
              onClick={() => setChoosing(true)}
            >
              {t('setup_page.choose_role')}
            </Button>
          ))}
      </Table.Td>
      <Table.Td>
        <RankState rank={rank} />
        {isChosen && (
          <Button size="compact-xs" variant="subtle" onClick={() => onChoose(null)}>
            {t('setup_page.leave_out')}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function RankState({ rank: { problem, obstacle, dangerous, isChosen } }: { rank: Rank }) {
  const words = useWords();
  const { t } = words;
  if (problem !== null) return <span className={css.open}>{t(`setup_page.problem_${problem}`)}</span>;
  if (obstacle !== null) return <span className={css.bad}>{t(`blocked.${obstacle}`)}</span>;
  if (dangerous.length > 0) {
    return (
      <span className={css.bad}>{t('setup_page.dangerous', { permissions: permissionList(dangerous, words) })}</span>
    );
  }
  return (
    <span>
      <span className={css.tick} aria-hidden="true">
        ✓
      </span>{' '}
      {t(isChosen ? 'setup_page.chosen' : 'setup_page.fits')}
    </span>
  );
}
