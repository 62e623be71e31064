import { Alert } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { guildKey } from '../../api/queries.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { Confirm } from '../../parts/confirm.js';

const switchQuery = (guildId: string) =>
  queryOptions({
    queryKey: [...guildKey(guildId), 'switch'],
    queryFn: () => answerOf(api.GET('/api/guilds/{guildId}/differences/switch', { params: { path: { guildId } } })),
    refetchInterval: ({ state: { data } }) => (data?.switch?.state === 'undoing' ? 2_000 : false),
  });

/** The switch of the last seven days, which can be undone. */
export function UndoSwitch() {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const reason = useReasonAgainst('admin');
  const { data } = useQuery(switchQuery(guildId));
  const undo = useMutation({
    mutationFn: () => answerOf(api.POST('/api/guilds/{guildId}/differences/undo', { params: { path: { guildId } } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: guildKey(guildId) }),
  });
  const found = data?.switch ?? null;
  if (found === null) return null;
  const { state, changed, putBack, kept } = found;
  return (
    <Alert mb="md" title={t(`differences.switch_${state}`)}>
      <p>{t('differences.switch_words', { changed, putBack, kept: kept.length })}</p>
      {kept.length > 0 && <p>{t('differences.kept', { ids: kept.slice(0, 20).join(', ') })}</p>}
      {state === 'made' && (
        <ActButton reason={reason} onClick={() => setAsking(true)}>
          {t('differences.undo')}
        </ActButton>
      )}
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t('differences.undo')}
        act={t('differences.undo')}
        gentle
        mutation={undo}
      >
        <p>{t('differences.undo_words')}</p>
      </Confirm>
    </Alert>
  );
}
