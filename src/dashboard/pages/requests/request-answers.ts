import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import { guildKey } from '../../api/queries.js';
import type { JoinRequest, Part } from '../../api/ranking-queries.js';
import { useGuild } from '../../guild/guild-context.js';

/** As many as one list takes (RANKING-26). */
export const mostAnswers = 10;

export const decisions = ['accept', 'decline'] as const;
export type Decision = (typeof decisions)[number];

/** The result for one person. */
export interface RequestAnswer {
  gameUserId: string;
  name: string;
  result: 'accepted' | 'declined' | 'gone' | 'refused' | 'unknown';
  problem: Part['refusal'];
}

interface Wish {
  groupId: string;
  decision: Decision;
  requests: readonly JoinRequest[];
  reason: string;
}

/** Accepts or declines these requests, each by itself. */
export function useAnswerRequests(wish: Wish, onAnswers: (answers: readonly RequestAnswer[]) => void) {
  const { groupId, decision, requests, reason } = wish;
  const { guildId } = useGuild();
  const queryClient = useQueryClient();
  return useMutation({
    async mutationFn() {
      const { results } = await answerOf(
        api.POST('/api/guilds/{guildId}/groups/{groupId}/join-requests', {
          params: { path: { guildId, groupId } },
          body: {
            ...{ decision, gameUserIds: requests.map(({ gameUserId }) => gameUserId) },
            ...(reason !== '' && { reason }),
          },
        }),
      );
      const names = new Map(requests.map(({ gameUserId, gameUsername }) => [gameUserId, gameUsername]));
      return results.map((result) => ({ ...result, name: names.get(result.gameUserId) ?? result.gameUserId }));
    },
    async onSuccess(answers) {
      onAnswers(answers);
      await queryClient.invalidateQueries({ queryKey: guildKey(guildId) });
    },
  });
}
