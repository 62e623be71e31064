import { useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import { guildKey } from '../../api/queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { showToast } from '../../parts/toast.js';

/** As many as one request takes. */
const peopleAtOnce = 100;

/** *Undo* after an unlink: links the people as before, and reports how many. */
export function useUndoUnlink(): (memberIds: readonly string[]) => Promise<void> {
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  return async (memberIds) => {
    let linked = 0;
    try {
      for (let from = 0; from < memberIds.length; from += peopleAtOnce) {
        const body = { memberIds: memberIds.slice(from, from + peopleAtOnce) };
        const params = { path: { guildId } };
        const { data } = await answerOf(api.POST('/api/guilds/{guildId}/members/undo-unlink', { params, body }));
        linked += data.filter((answer) => answer.linked).length;
      }
      showToast({ message: 'toast.linked_again', values: { count: linked } });
      const left = memberIds.length - linked;
      if (left > 0) showToast({ message: 'toast.not_linked_again', values: { count: left } });
    } catch {
      showToast({ message: 'toast.not_undone' });
    }
    await queryClient.invalidateQueries({ queryKey: guildKey(guildId) });
  };
}
