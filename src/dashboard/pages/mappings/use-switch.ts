import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import { guildKey, type Mapping, mappingQuery, mappingsQuery } from '../../api/queries.js';
import { useGuild } from '../../guild/guild-context.js';
import { showToast } from '../../parts/toast.js';
import { draftOf } from './mapping-draft.js';

/** Turns a mapping on or off. The change shows immediately, and is reverted if the service refuses it. */
export function useSwitch({ mappingId }: Mapping): (enabled: boolean) => void {
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  const { queryKey } = mappingsQuery(guildId);
  const show = (enabled: boolean) =>
    queryClient.setQueryData(queryKey, (all) =>
      all?.map((mapping) => (mapping.mappingId === mappingId ? { ...mapping, enabled } : mapping)),
    );
  const turn = (enabled: boolean): void => change.mutate(enabled);
  const change: UseMutationResult<Mapping, Error, boolean> = useMutation({
    async mutationFn(enabled: boolean) {
      // Only the switch changes, even if another admin has changed the mapping since.
      const { value, etag } = await queryClient.fetchQuery({ ...mappingQuery(guildId, mappingId), staleTime: 0 });
      const params = { path: { guildId, mappingId }, header: { 'if-match': etag } };
      return answerOf<Mapping>(
        api.PUT('/api/guilds/{guildId}/mappings/{mappingId}', { params, body: { ...draftOf(value), enabled } }),
      );
    },
    async onMutate(enabled) {
      await queryClient.cancelQueries({ queryKey });
      show(enabled);
    },
    onError(_error, enabled) {
      show(!enabled);
      showToast({ message: 'toast.refused' });
    },
    onSuccess: (_answer, enabled) =>
      showToast({ message: enabled ? 'toast.mapping_on' : 'toast.mapping_off', undo: () => turn(!enabled) }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: guildKey(guildId) }),
  });
  return turn;
}
