import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { answerOf, api } from '../../api/client.js';
import { guildKey, type Member } from '../../api/queries.js';
import { useGuild, useReasonAgainst } from '../../guild/guild-context.js';
import { useWords } from '../../i18n/words-provider.js';
import { ActButton } from '../../parts/act-button.js';
import { Confirm } from '../../parts/confirm.js';
import { showToast } from '../../parts/toast.js';
import css from './members.module.css';
import { useUndoUnlink } from './undo-unlink.js';

/** As many as one request takes. */
const peopleAtOnce = 100;

/** Unlinks the selected people, a hundred at a time, each only from the account that the list shows. */
export function UnlinkSelected({ members, onDone }: { members: readonly Member[]; onDone: () => void }) {
  const { t } = useWords();
  const [isAsking, setAsking] = useState(false);
  const { unlink, left, done } = useUnlink(members, onDone);
  const reason = useReasonAgainst('admin');
  const begin = () => setAsking(true);
  if (left.length === 0 && !isAsking) return null;
  return (
    <>
      <ActButton size="xs" variant="default" reason={reason} onClick={begin}>
        {t('members.unlink')}
      </ActButton>
      <Confirm
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t('members.unlink_selected', { count: left.length })}
        act={t('members.unlink')}
        mutation={unlink}
      >
        <p>{t('members.unlink_selected_words')}</p>
        {done !== none && (
          <p role="status" className={css.note}>
            {resultWords(done, t)}
          </p>
        )}
      </Confirm>
    </>
  );
}

interface Result {
  unlinked: readonly string[];
  /** People who were not linked any more, or to another account. */
  others: number;
  /** Names for people with a role that isn't below the caller's. */
  spared: readonly string[];
}

const none: Result = { unlinked: [], others: 0, spared: [] };

const resultWords = ({ unlinked, others, spared }: Result, t: ReturnType<typeof useWords>['t']): string =>
  [
    t('toast.unlinked_people', { count: unlinked.length }),
    ...(others === 0 ? [] : [t('toast.unlinked_others', { count: others })]),
    ...(spared.length === 0 ? [] : [t('toast.unlink_spared', { names: spared.join(', ') })]),
  ].join(' ');

interface Answer {
  memberId: string;
  unlinked: boolean;
  reason: 'not_linked' | 'above' | null;
}

function withAnswers(result: Result, answers: readonly Answer[], members: readonly Member[]): Result {
  const names = new Map(members.map(({ memberId, chatUsername }) => [memberId, chatUsername]));
  const idsOf = (which: (answer: Answer) => boolean) => answers.filter(which).map(({ memberId }) => memberId);
  return {
    unlinked: [...result.unlinked, ...idsOf(({ unlinked }) => unlinked)],
    others: result.others + idsOf(({ reason }) => reason === 'not_linked').length,
    spared: [...result.spared, ...idsOf(({ reason }) => reason === 'above').map((id) => names.get(id) ?? id)],
  };
}

/** The act, the people left to unlink, and the result so far: after a refusal the next press goes on. */
function useUnlink(members: readonly Member[], onDone: () => void) {
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const answered = useRef(new Set<string>());
  const [done, setDone] = useState<Result>(none);
  const undo = useUndoUnlink();
  const left = members.flatMap(({ memberId, gameUserId }) =>
    gameUserId === null || answered.current.has(memberId) ? [] : [{ memberId, gameUserId }],
  );
  const unlink = useMutation({
    async mutationFn() {
      let result = done;
      for (let from = 0; from < left.length; from += peopleAtOnce) {
        const body = { members: left.slice(from, from + peopleAtOnce) };
        const params = { path: { guildId } };
        const { data } = await answerOf(api.POST('/api/guilds/{guildId}/members/unlink', { params, body }));
        for (const { memberId } of data) answered.current.add(memberId);
        result = withAnswers(result, data, members);
        setDone(result);
      }
      return result;
    },
    onSuccess({ unlinked, others, spared }) {
      const back = unlinked.length > 0 && { undo: () => undo(unlinked) };
      if (others > 0) showToast({ message: 'toast.unlinked_others', values: { count: others } });
      if (spared.length > 0) showToast({ message: 'toast.unlink_spared', values: { names: spared.join(', ') } });
      showToast({ message: 'toast.unlinked_people', values: { count: unlinked.length }, ...back });
      onDone();
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: guildKey(guildId) }),
  });
  return { unlink, left, done };
}
