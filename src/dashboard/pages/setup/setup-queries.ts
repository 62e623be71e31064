import { useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '../../../client/api-types.js';
import { answerOf, api } from '../../api/client.js';
import { groupsQuery, setupQuery } from '../../api/queries.js';
import { useGuild } from '../../guild/guild-context.js';

export type Setup = Schemas['Setup'];
type Change = Schemas['SetupChange'];

/** Changes choices. Each page part has its own mutation, so that a refusal is shown next to it. */
export function useChangeSetup() {
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  return useMutation({
    mutationKey: changesOf(guildId),
    mutationFn: (body: Change) =>
      answerOf(api.PATCH('/api/guilds/{guildId}/setup', { params: { path: { guildId } }, body })),
    async onSuccess(setup, { group }) {
      queryClient.setQueryData(setupQuery(guildId).queryKey, setup);
      if (group) await queryClient.invalidateQueries({ queryKey: groupsQuery(guildId).queryKey });
    },
  });
}

const changesOf = (guildId: string) => [...setupQuery(guildId).queryKey, 'change'];

/** Whether a changed choice is still unanswered: an effect read now would be the earlier choices'. */
export function useIsChanging(): boolean {
  const { guildId } = useGuild();
  return useIsMutating({ mutationKey: changesOf(guildId) }) > 0;
}

/** Reads the effects of applying, with the set-up state that they are for. */
export function useOutcome() {
  const { guildId } = useGuild();
  return useMutation({
    mutationFn: async (of: string) => {
      const answer = answerOf(api.POST('/api/guilds/{guildId}/setup/preview', { params: { path: { guildId } } }));
      return { of, preview: await answer };
    },
  });
}

export type Outcome = ReturnType<typeof useOutcome>;

/** The choices that decide an outcome. */
export const stateOf = ({ choices, group, missing }: Setup): string => JSON.stringify([choices, group, missing]);

/** The step with the button that stands out. */
export function nextStep(setup: Setup, outcome: Outcome): 'group' | 'roles' | 'outcome' {
  if (outcome.isPending || outcome.data?.of === stateOf(setup)) return 'outcome';
  if (setup.group === null && outcome.isIdle) return 'group';
  return setup.missing.count > 0 ? 'roles' : 'outcome';
}

/** The choices as they are, or as they will be once the running change is answered. */
export function choicesOf(setup: Setup, change: ReturnType<typeof useChangeSetup>): Setup['choices'] {
  if (!change.isPending) return setup.choices;
  const { verifiedRoleId, nickname, methods, channelId, panel } = { ...setup.choices, ...change.variables };
  return { verifiedRoleId, nickname, methods, channelId, panel };
}
