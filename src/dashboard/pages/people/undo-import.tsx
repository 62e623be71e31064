import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { guildKey } from '../../api/queries.js';
import { namesQuery } from '../../api/team-queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { Confirm } from '../../parts/confirm.js';
import type { PeopleImport } from './import-numbers.js';
import css from './people.module.css';

const mostNamed = 20;

/** The button that takes an ended import back, or the undo that did. */
export function UndoImport({ ended }: { ended: PeopleImport }) {
  const { t, time } = useWords();
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const { importId, undoableUntil, undo, counts } = ended;
  const take = useMutation({
    meta: { toast: 'toast.import_undone' },
    mutationFn: () =>
      answerOf(
        api.POST('/api/guilds/{guildId}/people/import/{importId}/undo', { params: { path: { guildId, importId } } }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: guildKey(guildId) }),
  });
  if (undo !== null) return <Undone undo={undo} />;
  if (undoableUntil === null || counts.imported === 0) return null;
  return (
    <>
      <p className={css.words}>{t('people.undo_until', { time: time(undoableUntil) })}</p>
      <ActButton variant="default" onClick={() => setAsking(true)}>
        {t('people.undo')}
      </ActButton>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={t('people.undo')}
        act={t('people.undo')}
        gentle
        mutation={take}
      >
        <p>{t('people.undo_words')}</p>
      </Confirm>
    </>
  );
}

function Undone({ undo: { state, undone, left } }: { undo: NonNullable<PeopleImport['undo']> }) {
  const { t } = useWords();
  const { guildId } = useGuild();
  const shown = left.slice(0, mostNamed);
  const ids = shown.map(({ chatUserId }) => chatUserId);
  const { data: names = {} } = useQuery({ ...namesQuery(guildId, ids), enabled: ids.length > 0 });
  return (
    <>
      <p role="status" className={css.words}>
        {t(`people.undo_state_${state}`, { done: undone })}
      </p>
      {shown.length > 0 && (
        <>
          <h3 className={css.heading}>{t('people.undo_left')}</h3>
          <ul className={css.effects}>
            {shown.map(({ chatUserId, reason }) => (
              <li key={chatUserId}>
                {names[chatUserId] ?? chatUserId}: {t(`people.left_${reason}`)}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
