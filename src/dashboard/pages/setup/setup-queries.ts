import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '../../api/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { groupsQuery, setupQuery } from '../../api/queries.js';
import { useGuild } from '../../guild/guild-context.js';

export type Setup = Schemas['Setup'];
type Change = Schemas['SetupChange'];

/** Changes choices. Each part of the page has its own mutation, so that a refusal is shown next to it. */
export function useChangeSetup() {
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: Change) =>
      answerOf(api.PATCH('/api/guilds/{guildId}/setup', { params: { path: { guildId } }, body })),
    async onSuccess(setup, { group }) {
      queryClient.setQueryData(setupQuery(guildId).queryKey, setup);
      if (group) await queryClient.invalidateQueries({ queryKey: groupsQuery(guildId).queryKey });
    },
  });
}

/** The choices as they are, or as they will be once the running change is answered. */
export function choicesOf(setup: Setup, change: ReturnType<typeof useChangeSetup>): Setup['choices'] {
  if (!change.isPending) return setup.choices;
  const { verifiedRoleId, nickname, methods, channelId, panel } = { ...setup.choices, ...change.variables };
  return { verifiedRoleId, nickname, methods, channelId, panel };
}
