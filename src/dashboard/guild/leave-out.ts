import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../api/client.js';
import { guildKey } from '../api/queries.js';
import { showToast } from '../parts/toast.js';
import { useGuild } from './guild-context.js';

interface Wish {
  memberId: string;
  /** False: they take part again. */
  leftOut: boolean;
}

/** Excludes a person from every change, or lets them take part again (OBS-117). */
export function useLeaveOut(): UseMutationResult<unknown, Error, Wish> {
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  return useMutation({
    async mutationFn({ memberId, leftOut }: Wish) {
      const params = { path: { guildId } };
      const body = { memberIds: [memberId], leftOut };
      const { data } = await answerOf(api.POST('/api/guilds/{guildId}/members/left-out', { params, body }));
      if (data.some(({ reason }) => reason === 'full')) showToast({ message: 'left_out.full' });
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: guildKey(guildId) }),
  });
}
