import { Chip, Group } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../../../client/api-types.js';
import { RoleChips, useRoleName } from '../../guild/role-names.js';
import { useWords } from '../../i18n/words-provider.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { SearchChoice } from '../../parts/search-choice.js';
import { Empty } from '../../parts/states.js';
import { Table } from '../../parts/table.js';
import css from './preview.module.css';

type Planned = Schemas['PreviewedMember'];

const filters = {
  removing: ({ remove }: Planned) => remove.length > 0,
  adding: ({ add }: Planned) => add.length > 0,
  renamed: ({ nickname }: Planned) => nickname !== undefined,
  kicking: ({ kick }: Planned) => kick !== undefined,
  blocked: ({ blocked, nicknameBlocked, sparedFrom }: Planned) =>
    blocked.length > 0 || nicknameBlocked !== null || sparedFrom !== undefined,
} as const;
type Filter = keyof typeof filters;
const filterNames = Object.keys(filters) as Filter[];

/** The roles gained, lost or missed by a member. */
const rolesOf = ({ add, remove, blocked }: Planned): string[] => [
  ...add,
  ...remove,
  ...blocked.map(({ roleId }) => roleId),
];

/** The largest losses come first. */
const weightOf = (member: Planned): number => 2 * Number(filters.kicking(member)) + Number(filters.removing(member));

/** A plan's people, those with losses first. */
export function PlanList({ members }: { members: readonly Planned[] }) {
  const { t } = useWords();
  const [chosen, setChosen] = useState<Filter[]>([]);
  const [roleId, setRoleId] = useState('');
  const shown = members.filter(
    (member) =>
      (chosen.length === 0 || chosen.some((name) => filters[name](member))) &&
      (roleId === '' || rolesOf(member).includes(roleId)),
  );
  const sorted = [...shown].sort((a, b) => weightOf(b) - weightOf(a));
  if (members.length === 0) return <Empty title={t('preview.in_step')}>{t('preview.in_step_why')}</Empty>;
  return (
    <>
      <fieldset className={css.filters}>
        <legend className={css.quiet}>{t('preview.show_only')}</legend>
        <Chip.Group
          multiple
          value={chosen}
          onChange={(names) => setChosen(filterNames.filter((name) => names.includes(name)))}
        >
          <Group gap="xs">
            {filterNames
              .filter((name) => members.some(filters[name]))
              .map((name) => (
                <Chip key={name} value={name} size="xs">
                  {t(`preview.${name}`, { count: members.filter(filters[name]).length })}
                </Chip>
              ))}
          </Group>
        </Chip.Group>
      </fieldset>
      <RoleFilter members={members} roleId={roleId} onChange={setRoleId} />
      <ScrollTable label={t('preview.plan')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('preview.member')}</Table.Th>
            <Table.Th scope="col">{t('preview.roles')}</Table.Th>
            <Table.Th scope="col">{t('preview.name')}</Table.Th>
            <Table.Th scope="col">{t('preview.not_done')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sorted.map((member) => (
            <PlanLine key={member.memberId} member={member} />
          ))}
        </Table.Tbody>
      </ScrollTable>
    </>
  );
}

/** Narrows the list to one role in the plan. */
function RoleFilter(props: { members: readonly Planned[]; roleId: string; onChange: (roleId: string) => void }) {
  const { members, roleId, onChange } = props;
  const { t } = useWords();
  const nameOf = useRoleName();
  const roleIds = [...new Set(members.flatMap(rolesOf))];
  if (roleIds.length < 2) return null;
  return (
    <SearchChoice
      label={t('preview.role')}
      className={css.role ?? ''}
      value={roleId}
      options={[
        { value: '', label: t('preview.any_role') },
        ...roleIds.map((id) => ({ value: id, label: nameOf(id) })),
      ]}
      onChange={onChange}
    />
  );
}

function PlanLine({ member }: { member: Planned }) {
  const { t } = useWords();
  const { chatUsername, gameUsername, add, remove, kick, nickname, blocked, nicknameBlocked } = member;
  const { sparedFrom, leftOut } = member;
  return (
    <Table.Tr>
      <Table.Td>
        {chatUsername}
        {gameUsername !== null && <div className={css.quiet}>{gameUsername}</div>}
      </Table.Td>
      <Table.Td>
        <RoleChips ids={add} as="given" /> <RoleChips ids={remove} as="taken" />
        {kick !== undefined && (
          <strong className={css.kick}>{t('preview.kicked', { why: t(`restriction.${kick}`) })}</strong>
        )}
      </Table.Td>
      <Table.Td>{nickname === undefined ? '' : (nickname ?? t('preview.no_nickname'))}</Table.Td>
      <Table.Td>
        {blocked.map(({ roleId, reason }) => (
          <div key={roleId}>
            <RoleChips ids={[roleId]} /> <span className={css.quiet}>{t(`blocked.${reason}`)}</span>
          </div>
        ))}
        {sparedFrom !== undefined && (
          <div className={css.quiet}>{t('preview.spared', { why: t(`restriction.${sparedFrom}`) })}</div>
        )}
        {leftOut && <div className={css.quiet}>{t('why.left_out')}</div>}
        {nicknameBlocked !== null && <div className={css.quiet}>{t(`nickname_blocked.${nicknameBlocked}`)}</div>}
      </Table.Td>
    </Table.Tr>
  );
}
