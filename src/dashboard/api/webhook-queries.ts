import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../../client/api-types.js';
import { answerOf, api, taggedAnswerOf, wholeList } from './client.js';
import { guildKey } from './queries.js';
import { renewalMs, renewed } from './renewal.js';

export type Webhook = Schemas['Webhook'];
export type WebhookEvent = Webhook['events'][number];
export type DeliveryStatistics = Schemas['DeliveryStatistics'];
export type Delivery = Schemas['Delivery'];
export type DeliveryDetail = Schemas['DeliveryDetail'];
export type Attempt = Schemas['DeliveryAttempt'];
export type AttemptDetail = Schemas['DeliveryAttemptDetail'];

export interface DeliveryFilter {
  state?: Delivery['state'];
  event?: WebhookEvent;
  /** How far back. */
  within?: keyof typeof spans;
}

const hourMs = 3_600_000;
const spans = { hour: hourMs, day: 24 * hourMs, week: 168 * hourMs } as const;
export const deliverySpans = ['hour', 'day', 'week'] as const;

export interface ReplayWindow {
  since: string;
  until: string;
  state?: 'succeeded' | 'failed';
}

const webhooksKey = (guildId: string) => [...guildKey(guildId), 'webhooks'] as const;
/** All that is kept for one endpoint. */
export const webhookKey = (guildId: string, webhookId: string) => [...webhooksKey(guildId), webhookId] as const;

export const webhooksQuery = (guildId: string) =>
  queryOptions({
    queryKey: webhooksKey(guildId),
    queryFn: () =>
      wholeList((cursor) =>
        answerOf(
          api.GET('/api/guilds/{guildId}/webhooks', {
            params: { path: { guildId }, query: { limit: 100, ...(cursor !== undefined && { cursor }) } },
          }),
        ),
      ),
    refetchInterval: renewed('figures'),
  });

/** An endpoint with its ETag, for If-Match. */
export const webhookQuery = (guildId: string, webhookId: string) =>
  queryOptions({
    queryKey: [...webhookKey(guildId, webhookId), 'head'],
    queryFn: () =>
      taggedAnswerOf(
        api.GET('/api/guilds/{guildId}/webhooks/{webhookId}', { params: { path: { guildId, webhookId } } }),
      ),
    refetchInterval: renewed('figures'),
  });

/** The last 24 hours' delivery results. */
export const statisticsQuery = (guildId: string, webhookId: string) =>
  queryOptions({
    queryKey: [...webhookKey(guildId, webhookId), 'statistics'],
    queryFn: () =>
      answerOf(
        api.GET('/api/guilds/{guildId}/webhooks/{webhookId}/statistics', { params: { path: { guildId, webhookId } } }),
      ),
    refetchInterval: renewed('figures'),
  });

/** The same for every endpoint. */
export const statisticsOfAllQuery = (guildId: string) =>
  queryOptions({
    queryKey: [...webhooksKey(guildId), 'statistics'],
    queryFn: async () => {
      const params = { path: { guildId } };
      return (await answerOf(api.GET('/api/guilds/{guildId}/webhooks/statistics', { params }))).data;
    },
    refetchInterval: renewed('figures'),
  });

/** How many deliveries a replay would make once more. */
export const replayCountQuery = (guildId: string, webhookId: string, query: ReplayWindow) =>
  queryOptions({
    queryKey: [...webhookKey(guildId, webhookId), 'replay', query],
    queryFn: () =>
      answerOf(
        api.GET('/api/guilds/{guildId}/webhooks/{webhookId}/deliveries/count', {
          params: { path: { guildId, webhookId }, query },
        }),
      ),
  });

/** One endpoint's deliveries by a filter. `isoIn`: the ISO time that much after now. */
export interface DeliveryList {
  guildId: string;
  webhookId: string;
  filter: DeliveryFilter;
  isoIn: (ms: number) => string;
}

function readDeliveries(list: DeliveryList, page: { limit: number; cursor?: string }) {
  const { guildId, webhookId, isoIn } = list;
  const { within, ...filter } = list.filter;
  const query = { ...filter, ...(within && { since: isoIn(-spans[within]) }), ...page };
  return answerOf(
    api.GET('/api/guilds/{guildId}/webhooks/{webhookId}/deliveries', {
      params: { path: { guildId, webhookId }, query },
    }),
  );
}

export const deliveriesQuery = (list: DeliveryList) =>
  infiniteQueryOptions({
    queryKey: [...webhookKey(list.guildId, list.webhookId), 'deliveries', list.filter],
    initialPageParam: '',
    queryFn: ({ pageParam: cursor }) => readDeliveries(list, { limit: 50, ...(cursor !== '' && { cursor }) }),
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // A reader of further pages is not disturbed: those would all be read again, and the rows would move.
    refetchInterval: ({ state }) => renewalMs(state, (state.data?.pages.length ?? 0) > 1 ? null : 'events'),
  });

/** The newest delivery, for a reader of further pages. */
export const newestDeliveryQuery = (list: DeliveryList) =>
  queryOptions({
    queryKey: [...webhookKey(list.guildId, list.webhookId), 'newest', list.filter],
    queryFn: async () => (await readDeliveries(list, { limit: 1 })).data[0]?.deliveryId ?? null,
    refetchInterval: renewed('events'),
  });

const isOver = ({ state }: Pick<Delivery, 'state'>): boolean => state === 'succeeded' || state === 'failed';

/** A delivery with its attempts; asked for again while it is under way. */
export const deliveryQuery = (guildId: string, webhookId: string, deliveryId: string) =>
  queryOptions({
    queryKey: [...webhookKey(guildId, webhookId), 'delivery', deliveryId],
    queryFn: () =>
      answerOf(api.GET('/api/guilds/{guildId}/deliveries/{deliveryId}', { params: { path: { guildId, deliveryId } } })),
    refetchInterval: ({ state }) => renewalMs(state, state.data === undefined || isOver(state.data) ? null : 'events'),
  });
