import { useMutation, useQueries, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import type { Member } from '../../api/queries.js';
import {
  type Part,
  type RankChange,
  type RankEffects,
  type RankTarget,
  rankEffectsKey,
  rankEffectsQuery,
} from '../../api/ranking-queries.js';
import { hasCode } from '../../api/refusal.js';
import { useGuild } from '../../guild/guild-context.js';

/** A person of a list before the change: their ranks and roles with it, or why they are left out. */
export interface RankLine {
  memberId: string;
  name: string;
  effects: RankEffects | undefined;
  error: Error | null;
  isDemotion: boolean;
}

const highest = (roles: RankEffects['before']): number => Math.max(0, ...roles.map(({ rank }) => rank));

/** The effects of a rank on each of these people, as the API previews them. */
export function useRankList(groupId: string, members: readonly Member[], target: RankTarget | undefined) {
  const { guildId } = useGuild();
  const asked = target === undefined ? [] : members;
  const previews = useQueries({
    queries: asked.map(({ memberId }) => rankEffectsQuery(guildId, groupId, { memberId, ...target })),
  });
  const lines = asked.map(({ memberId, chatUsername }, place): RankLine => {
    const { data: effects, error = null } = previews[place] ?? {};
    const isDemotion = effects !== undefined && highest(effects.after) < highest(effects.before);
    return { memberId, name: chatUsername, effects, error, isDemotion };
  });
  return { lines, isRead: target !== undefined && previews.every(({ isPending }) => !isPending) };
}

/** The result for one person: their change, or its refusal. */
export interface RankOutcome {
  memberId: string;
  name: string;
  change: RankChange | null;
  refusal: Part['refusal'];
}

/** Changes a list's ranks in one request, each by itself. A list that has become another one is read again. */
export function useChangeRanks(groupId: string) {
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  return useMutation({
    async onError(error) {
      if (hasCode(error, 'demotions_unconfirmed'))
        await queryClient.refetchQueries({ queryKey: rankEffectsKey(guildId, groupId) });
    },
    async mutationFn(list: { lines: readonly RankLine[]; target: RankTarget; reason: string; demotions: number }) {
      const { lines, target, reason, demotions } = list;
      const changes = lines.map(({ memberId, effects }) => {
        const seen = effects?.before[0]?.gameRoleId;
        return { memberId, ...target, ...(seen !== undefined && { seenGameRoleId: seen }) };
      });
      const { data } = await answerOf(
        api.POST('/api/guilds/{guildId}/groups/{groupId}/ranks/many', {
          params: { path: { guildId, groupId } },
          body: { changes, demotions, ...(reason !== '' && { reason }) },
        }),
      );
      return lines.map(({ memberId, name }, place): RankOutcome => {
        const part = data[place];
        return { memberId, name, change: part?.change ?? null, refusal: part?.refusal ?? null };
      });
    },
  });
}
