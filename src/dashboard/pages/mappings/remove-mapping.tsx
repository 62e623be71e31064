import { Button } from '@mantine/core';
import { hashKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { guildKey, holdersQuery, type Mapping, mappingQuery } from '../../api/queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { holdersWords } from '../../guild/holders-words.js';
import { RoleChips, useRoleName } from '../../guild/role-names.js';
import { useUndo } from '../../guild/use-undo.js';
import { useWords } from '../../i18n/words-provider.js';
import { Confirm } from '../../parts/confirm.js';
import { showToast } from '../../parts/toast.js';
import { givenBy } from './given-roles.js';
import { draftOf } from './mapping-draft.js';

/** Removes a mapping, `called` so in the list, after asking; *Undo* writes the same mapping again. */
export function RemoveMapping({ mapping, called }: { mapping: Mapping; called: string }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const { mappingId } = mapping;
  // The question is about exactly the version to be removed.
  const { data: seen } = useQuery({ ...mappingQuery(guildId, mappingId), enabled: asking, staleTime: 0 });
  const remove = useMutation({
    mutationFn: () =>
      answerOf(
        api.DELETE('/api/guilds/{guildId}/mappings/{mappingId}', {
          params: { path: { guildId, mappingId }, header: { 'if-match': seen?.etag ?? '' } },
        }),
      ),
    onSuccess() {
      const gone = seen?.value;
      showToast({ message: 'toast.mapping_removed', ...(gone !== undefined && { undo: () => writeAgain(gone) }) });
      // The removed mapping is not asked for again.
      const removed = hashKey(mappingQuery(guildId, mappingId).queryKey);
      const predicate = ({ queryHash }: { queryHash: string }) => queryHash !== removed;
      return queryClient.invalidateQueries({ queryKey: guildKey(guildId), predicate });
    },
  });
  const writeAgain = useUndo(guildId, (gone: Mapping) =>
    api.POST('/api/guilds/{guildId}/mappings', { params: { path: { guildId } }, body: draftOf(gone) }),
  );
  const label = t('action.remove');
  const name = t('action.of', { act: label, name: called });
  return (
    <>
      <Button size="xs" variant="subtle" color="red" aria-label={name} onClick={() => setAsking(true)}>
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
        {seen !== undefined && <Keepers mapping={seen.value} />}
      </Confirm>
    </>
  );
}

/** A mapping's roles, each with the count of people keeping it, once known. */
function Keepers({ mapping }: { mapping: Mapping }) {
  const words = useWords();
  const nameOf = useRoleName();
  const { data: holders } = useQuery(holdersQuery(useGuild().guildId));
  const roleIds = givenBy(mapping);
  if (holders === undefined) return <RoleChips ids={roleIds} />;
  return (
    <ul>
      {roleIds.map((roleId) => (
        <li key={roleId}>{holdersWords(nameOf(roleId), holders.get(roleId) ?? null, words)}</li>
      ))}
    </ul>
  );
}
