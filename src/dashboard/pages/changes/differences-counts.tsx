import { useGuild } from '../../guild/guild-context.js';
import { RoleChips, useRoleName, useRoles } from '../../guild/role-names.js';
import { useWords } from '../../i18n/words-provider.js';
import { TextLink } from '../../parts/link-button.js';
import { ScrollTable } from '../../parts/scroll-table.js';
import { Table } from '../../parts/table.js';
import type { Counts } from './changes-search.js';
import css from './differences.module.css';

/** Rows that a page shows without being asked. */
const fewRows = 10;

/** How many differences there are: in sum, by role and by reason. */
export function DifferencesCounts({ counts }: { counts: Counts }) {
  const { t } = useWords();
  const { differing, gaining, losing, renamed, kicked, byRole, byReason } = counts;
  return (
    <>
      <section className={css.sum} aria-label={t('preview.sum')}>
        <span className={css.quiet}>{t('differences.sum_roles', { gaining, losing, renamed })}</span>
        {kicked > 0 && <span className={css.kick}>{t('differences.sum_kicked', { count: kicked })}</span>}
      </section>
      {differing > 0 && (
        <details className={css.counts} open={byRole.length <= fewRows}>
          <summary>{t('differences.counts')}</summary>
          <div className={css.tables}>
            {byRole.length > 0 && <RoleTable byRole={byRole} />}
            <ReasonTable byReason={byReason} />
          </div>
        </details>
      )}
    </>
  );
}

function RoleTable({ byRole }: Pick<Counts, 'byRole'>) {
  const { t } = useWords();
  return (
    <ScrollTable label={t('differences.by_role')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{t('preview.role')}</Table.Th>
          <Table.Th scope="col">{t('differences.gaining')}</Table.Th>
          <Table.Th scope="col">{t('differences.losing')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {byRole.map(({ roleId, gaining, losing }) => (
          <Table.Tr key={roleId}>
            <Table.Td>
              <RoleChips ids={[roleId]} /> <WhatIf roleId={roleId} />
            </Table.Td>
            <Table.Td>{gaining}</Table.Td>
            <Table.Td>{losing}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </ScrollTable>
  );
}

/** Leads to a role's rule: its editor shows a change's effect before anything is saved. */
function WhatIf({ roleId }: { roleId: string }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const nameOf = useRoleName();
  const [mappingId, another] = useRoles().get(roleId)?.mappings ?? [];
  if (mappingId === undefined || another !== undefined) return null;
  return (
    <TextLink
      to="/g/$guildId/mappings/$mappingId"
      params={{ guildId, mappingId }}
      size="sm"
      aria-label={`${t('changes.what_if')} ${nameOf(roleId)}`}
    >
      {t('changes.what_if')}
    </TextLink>
  );
}

function ReasonTable({ byReason }: Pick<Counts, 'byReason'>) {
  const { t } = useWords();
  return (
    <ScrollTable label={t('differences.by_reason')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{t('differences.by_reason')}</Table.Th>
          <Table.Th scope="col">{t('nav.members')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {byReason.map(({ reason, members }) => (
          <Table.Tr key={reason}>
            <Table.Td>{t(`difference_reason.${reason}`)}</Table.Td>
            <Table.Td>{members}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </ScrollTable>
  );
}
