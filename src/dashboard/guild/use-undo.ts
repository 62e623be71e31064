import { useQueryClient } from '@tanstack/react-query';
import { answerOf } from '../api/client.js';
import { guildKey } from '../api/queries.js';
import { showToast } from '../parts/toast.js';

/** The *Undo* button's action: reverts a change and reports the result. */
export function useUndo<Args extends unknown[]>(
  guildId: string,
  call: (...args: Args) => Promise<{ error?: unknown; response: Response }>,
): (...args: Args) => Promise<void> {
  const queryClient = useQueryClient();
  return async (...args) => {
    try {
      await answerOf(call(...args));
      showToast({ message: 'toast.undone' });
    } catch {
      showToast({ message: 'toast.not_undone' });
    }
    await queryClient.invalidateQueries({ queryKey: guildKey(guildId) });
  };
}
