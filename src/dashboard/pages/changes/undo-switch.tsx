import { Alert, Progress } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../client/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { guildKey } from '../../api/queries.js';
import { namesQuery } from '../../api/team-queries.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { Confirm } from '../../parts/confirm.js';

/** A switch within the last seven days, with its undo. `isRunning`: its resync has not ended. */
export function UndoSwitch({ found, isRunning }: { found: Schemas['Switch']; isRunning: boolean }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const reason = useReasonAgainst('admin');
  const undo = useMutation({
    mutationFn: () => answerOf(api.POST('/api/guilds/{guildId}/differences/undo', { params: { path: { guildId } } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: guildKey(guildId) }),
  });
  const { state, changed, putBack, kept, refused } = found;
  return (
    <Alert
      mb="md"
      title={t(isRunning && state === 'made' ? 'differences.switch_running' : `differences.switch_${state}`)}
    >
      <p role="status">
        {t('differences.switch_words', { changed: changed + putBack + kept.length, putBack, kept: kept.length })}
      </p>
      {kept.length > 0 && <Kept ids={kept.slice(0, mostNamed)} />}
      {refused.length > 0 && <NotPutBack refused={refused.slice(0, mostNamed)} />}
      {state === 'undoing' && <UndoProgress found={found} />}
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

const mostNamed = 20;

/** The people that the undo left as they are, by name where the team role may read names. */
function Kept({ ids }: { ids: readonly string[] }) {
  const { t, list } = useWords();
  const { guildId } = useGuild();
  const mayReadNames = useReasonAgainst('admin') === undefined;
  const { data: names = {} } = useQuery({ ...namesQuery(guildId, ids), enabled: mayReadNames });
  return <p>{t('differences.kept', { ids: list(ids.map((id) => names[id] ?? id)) })}</p>;
}

/** The people that the undo couldn't put back, with the reasons. */
function NotPutBack({ refused }: { refused: Schemas['Switch']['refused'] }) {
  const { t, list } = useWords();
  const people = refused.map(({ memberId, chatUsername, roles, nickname }) => {
    const reasons = new Set(roles.map(({ reason }) => t(`blocked.${reason}`)));
    if (nickname !== null) reasons.add(t(`nickname_blocked.${nickname}`));
    const name = chatUsername === '' ? memberId : chatUsername;
    return reasons.size === 0 ? name : `${name} (${list([...reasons])})`;
  });
  return <p>{t('differences.refused', { people: list(people) })}</p>;
}

function UndoProgress({ found: { changed, putBack, kept } }: { found: Schemas['Switch'] }) {
  const { t } = useWords();
  const done = putBack + kept.length;
  const all = done + changed;
  return <Progress value={all === 0 ? 0 : (100 * done) / all} aria-label={t('differences.undo_progress')} />;
}
