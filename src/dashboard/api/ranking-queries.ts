import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../../client/api-types.js';
import { answerOf, api } from './client.js';
import { guildKey } from './queries.js';

export type RankChange = Schemas['RankChange'];
export type JoinRequest = Schemas['JoinRequest'];
/** One part of a list, made by itself. */
export interface Part {
  refusal: Pick<Schemas['Problem'], 'code' | 'detail'> | null;
}
export type RankEffects = Schemas['RankEffects'];
/** The rank to give: a role of the group, or a step on its ladder. */
export type RankTarget = { gameRoleId: string } | { step: 1 | -1 };
export type RankingRules = Schemas['RankingRules'];

/** The key of all about ranks in a group. */
const ranksKey = (guildId: string, groupId: string) => [...guildKey(guildId), 'ranks', groupId] as const;

/** An open form's key. A change of the server does not read it again: its rank would no longer be a change. */
const formKey = (guildId: string, groupId: string) => ['rank-form', guildId, groupId] as const;

/** The changes of ranks in a group, newest first. */
export const rankChangesQuery = (guildId: string, groupId: string) =>
  infiniteQueryOptions({
    queryKey: [...ranksKey(guildId, groupId), 'changes'],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      answerOf(
        api.GET('/api/guilds/{guildId}/groups/{groupId}/ranks', {
          params: { path: { guildId, groupId }, query: pageParam === '' ? {} : { cursor: pageParam } },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** As many as one list of answers takes. */
const requestsPerPage = 10;

/** The people asking to join a group, in Roblox's order. */
export const joinRequestsQuery = (guildId: string, groupId: string) =>
  infiniteQueryOptions({
    queryKey: [...ranksKey(guildId, groupId), 'requests'],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      answerOf(
        api.GET('/api/guilds/{guildId}/groups/{groupId}/join-requests', {
          params: {
            path: { guildId, groupId },
            query: { limit: requestsPerPage, ...(pageParam !== '' && { cursor: pageParam }) },
          },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

export const rankingRulesQuery = (guildId: string, groupId: string) =>
  queryOptions({
    queryKey: [...ranksKey(guildId, groupId), 'rules'],
    queryFn: () =>
      answerOf(api.GET('/api/guilds/{guildId}/groups/{groupId}/ranking', { params: { path: { guildId, groupId } } })),
  });

/** A member's roles in a group, and those that this person may give them. Read anew for each dialog. */
export const rankOfferQuery = (guildId: string, groupId: string, memberId: string) =>
  queryOptions({
    queryKey: [...formKey(guildId, groupId), 'offer', memberId],
    queryFn: () =>
      answerOf(
        api.GET('/api/guilds/{guildId}/groups/{groupId}/ranks/offer', {
          params: { path: { guildId, groupId }, query: { memberId } },
        }),
      ),
    gcTime: 0,
    retry: false,
  });

export const rankEffectsKey = (guildId: string, groupId: string) => [...formKey(guildId, groupId), 'effects'] as const;

/** The effects of a rank on a member, on Roblox and on Discord. */
export const rankEffectsQuery = (guildId: string, groupId: string, wish: { memberId: string } & Partial<RankTarget>) =>
  queryOptions({
    queryKey: [...rankEffectsKey(guildId, groupId), wish],
    queryFn: () =>
      answerOf(
        api.POST('/api/guilds/{guildId}/groups/{groupId}/ranks/preview', {
          params: { path: { guildId, groupId } },
          body: wish,
        }),
      ),
    gcTime: 0,
    retry: false,
  });
