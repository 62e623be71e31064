import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Mapping } from '../../api/queries.js';
import { conditionWords } from '../../guild/condition-words.js';
import { useGuild } from '../../guild/guild-context.js';
import { useRoleName } from '../../guild/role-names.js';
import { useGroups } from '../../guild/use-groups.js';
import { useWords } from '../../i18n/words-provider.js';
import { TextLink } from '../../parts/link-button.js';
import { Section } from '../../parts/page.js';
import { Empty } from '../../parts/states.js';
import { givenBy } from './given-roles.js';
import { byGroup, inOrder, type Order, orders } from './mapping-groups.js';
import { MappingRow } from './mapping-row.js';
import css from './mappings.module.css';

/** From this many mappings on, the list has a search box. */
const manyMappings = 8;

/** The mappings, grouped by the Roblox group that they depend on. */
export function MappingList({ all }: { all: readonly Mapping[] }) {
  const words = useWords();
  const { t } = words;
  const { guildId } = useGuild();
  const groups = useGroups();
  const roleName = useRoleName();
  const [typed, setTyped] = useState('');
  const [order, setOrder] = useState<Order>('made');
  const wanted = typed.trim().toLocaleLowerCase(words.language);
  const rolesOf = (mapping: Mapping) => givenBy(mapping).map(roleName).join(' ');
  const textOf = (mapping: Mapping) =>
    [mapping.name ?? '', conditionWords(mapping.condition, groups, words), rolesOf(mapping)]
      .join(' ')
      .toLocaleLowerCase(words.language);
  const { only } = useSearch({ from: '/g/$guildId/mappings' });
  const meant = only === undefined ? all : all.filter(({ mappingId }) => only.includes(mappingId));
  const found = meant.filter((mapping) => wanted === '' || textOf(mapping).includes(wanted));
  const sorted = inOrder(found, order, (mapping) => mapping.name ?? rolesOf(mapping));
  return (
    <>
      {only !== undefined && (
        <p className={css.quiet}>
          {t('mappings.only', { count: meant.length })}{' '}
          <TextLink to="/g/$guildId/mappings" params={{ guildId }} size="sm">
            {t('mappings.all')}
          </TextLink>
        </p>
      )}
      {all.length >= manyMappings && (
        <Group mb="md" align="end">
          <TextInput
            label={t('members.search')}
            type="search"
            className={css.search ?? ''}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <NativeSelect
            label={t('mappings.order')}
            value={order}
            data={orders.map((value) => ({ value, label: t(`mappings.order_${value}`) }))}
            onChange={({ currentTarget: { value } }) => setOrder(orders.find((each) => each === value) ?? 'made')}
          />
        </Group>
      )}
      {found.length === 0 && <Empty title={t('mappings.none_found')} />}
      {byGroup(sorted).map(({ groupId, mappings }) => (
        <Section
          key={groupId ?? ''}
          plain
          title={
            groupId === undefined
              ? t('mappings.no_group')
              : (groups.get(groupId)?.name ?? t('condition.unknown_group', { id: groupId }))
          }
        >
          <ul className={css.list}>
            {mappings.map((mapping) => (
              <MappingRow key={mapping.mappingId} mapping={mapping} />
            ))}
          </ul>
        </Section>
      ))}
    </>
  );
}
