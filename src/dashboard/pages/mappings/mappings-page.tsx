import { Button, TextInput } from '@mantine/core';
import { hashKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { groupsQuery, guildKey, type Mapping, mappingQuery, mappingsQuery } from '../../api/queries.js';
import { conditionWords } from '../../guild/condition-words.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { RoleChips, useRoleName } from '../../guild/role-names.js';
import { useGroups } from '../../guild/use-groups.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { Confirm } from '../../parts/confirm.js';
import { LinkButton, TextLink } from '../../parts/link-button.js';
import { Page } from '../../parts/page.js';
import { Answered, Empty, Waiting } from '../../parts/states.js';
import css from './mappings.module.css';

/** With so many mappings a box to find one in pays. */
const manyMappings = 8;

/** Which roles the server gives to whom, as sentences. */
export function MappingsPage() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const reason = useReasonAgainst('manager');
  const mappings = useQuery(mappingsQuery(guildId));
  // Without their names the sentences would be of ids first.
  const { isPending: areGroupsComing } = useQuery(groupsQuery(guildId));
  const add =
    reason === undefined ? (
      <LinkButton to="/g/$guildId/mappings/new" params={{ guildId }}>
        {t('mappings.add')}
      </LinkButton>
    ) : (
      <ActButton reason={reason}>{t('mappings.add')}</ActButton>
    );
  return (
    <Page title={t('nav.mappings')} lead={t('mappings.lead')} actions={add}>
      {areGroupsComing ? (
        <Waiting lines={6} />
      ) : (
        <Answered query={mappings} lines={6}>
          {(all) =>
            all.length === 0 ? (
              <Empty title={t('mappings.none')}>{t('mappings.none_why')}</Empty>
            ) : (
              <MappingList all={all} />
            )
          }
        </Answered>
      )}
    </Page>
  );
}

function MappingList({ all }: { all: readonly Mapping[] }) {
  const words = useWords();
  const { t } = words;
  const { guildId } = useGuild();
  const groups = useGroups();
  const roleName = useRoleName();
  const [typed, setTyped] = useState('');
  const wanted = typed.trim().toLocaleLowerCase(words.language);
  const textOf = ({ name, condition, roleIds }: Mapping) =>
    [name ?? '', conditionWords(condition, groups, words), ...roleIds.map(roleName)]
      .join(' ')
      .toLocaleLowerCase(words.language);
  const { only } = useSearch({ from: '/g/$guildId/mappings' });
  const meant = only === undefined ? all : all.filter(({ mappingId }) => only.includes(mappingId));
  const found = meant.filter((mapping) => wanted === '' || textOf(mapping).includes(wanted));
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
        <TextInput
          label={t('mappings.search')}
          type="search"
          mb="md"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      {found.length === 0 && <Empty title={t('mappings.none_found')} />}
      <ul className={css.list}>
        {found.map((mapping) => (
          <MappingLine key={mapping.mappingId} mapping={mapping} />
        ))}
      </ul>
    </>
  );
}

function MappingLine({ mapping }: { mapping: Mapping }) {
  const words = useWords();
  const { t } = words;
  const { guildId } = useGuild();
  const groups = useGroups();
  const reason = useReasonAgainst('manager');
  const { mappingId, name, condition, roleIds, removeWhenUnmatched, ranks = [] } = mapping;
  const given = roleIds.length > 0 ? roleIds : [...new Set(ranks.flatMap((rank) => rank.roleIds))];
  return (
    <li className={css.line}>
      <div className={css.sentence}>
        {name !== null && <strong className={css.name}>{name}</strong>}
        <span>
          <RoleChips ids={given} /> {t('mapping.who', { condition: conditionWords(condition, groups, words) })}
        </span>
        <span className={css.quiet}>{t(removeWhenUnmatched ? 'mapping.taken' : 'mapping.kept')}</span>
        <MappingPeople people={mapping.people} />
        <MappingState mapping={mapping} />
      </div>
      <div className={css.acts}>
        <LinkButton to="/g/$guildId/mappings/$mappingId" params={{ guildId, mappingId }} size="xs" variant="default">
          {t(reason === undefined ? 'action.edit' : 'action.view')}
        </LinkButton>
        <RemoveMapping mapping={mapping} reason={reason} />
      </div>
    </li>
  );
}

/** How many it matched and how many of them had its roles when everybody was last planned. */
function MappingPeople({ people }: Pick<Mapping, 'people'>) {
  const { t, number, time } = useWords();
  if (people === null) return null;
  const { matching, holding, asOf } = people;
  const values = { matching: number(matching), holding: number(holding), time: time(asOf) };
  return <span className={css.quiet}>{t(matching === 0 ? 'mapping.nobody' : 'mapping.people', values)}</span>;
}

/** Whether a mapping works, and if not, why. */
function MappingState({ mapping: { status, enabled, paused } }: { mapping: Mapping }) {
  const { t } = useWords();
  if (!enabled) return <span className={css.off}>{t('mapping.off')}</span>;
  if (paused !== undefined) return <span className={css.bad}>{t(`mapping.paused_${paused}`)}</span>;
  if (status === 'ok') return null;
  return <span className={css.bad}>{t(`mapping.status_${status}`)}</span>;
}

function RemoveMapping({ mapping, reason }: { mapping: Mapping; reason: string | undefined }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const { mappingId } = mapping;
  // What is asked about is what would be removed, and no other version of it.
  const { data: seen } = useQuery({ ...mappingQuery(guildId, mappingId), enabled: asking, staleTime: 0 });
  const remove = useMutation({
    mutationFn: () =>
      answerOf(
        api.DELETE('/api/guilds/{guildId}/mappings/{mappingId}', {
          params: { path: { guildId, mappingId }, header: { 'if-match': seen?.etag ?? '' } },
        }),
      ),
    onSuccess() {
      // The removed mapping is not asked for again.
      const removed = hashKey(mappingQuery(guildId, mappingId).queryKey);
      const predicate = ({ queryHash }: { queryHash: string }) => queryHash !== removed;
      return queryClient.invalidateQueries({ queryKey: guildKey(guildId), predicate });
    },
  });
  const label = t('mappings.remove');
  if (reason !== undefined) {
    return (
      <ActButton size="xs" variant="subtle" reason={reason}>
        {label}
      </ActButton>
    );
  }
  return (
    <>
      <Button size="xs" variant="subtle" color="red" onClick={() => setAsking(true)}>
        {label}
      </Button>
      <Confirm
        open={asking && seen !== undefined}
        onClose={() => setAsking(false)}
        title={t('mappings.remove_title')}
        act={label}
        mutation={remove}
      >
        <p>{t('mappings.remove_words')}</p>
        {seen?.value.name != null && <p>{seen.value.name}</p>}
        <RoleChips ids={seen?.value.roleIds ?? []} />
      </Confirm>
    </>
  );
}
