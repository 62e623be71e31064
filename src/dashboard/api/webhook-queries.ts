import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Schemas } from './api-types.js';
import { answerOf, api, taggedAnswerOf, wholeList } from './client.js';
import { guildKey } from './queries.js';

export type Webhook = Schemas['Webhook'];
export type WebhookEvent = Webhook['events'][number];
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
/** All that is kept of one endpoint. */
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
  });

/** An endpoint with its ETag, for If-Match. */
export const webhookQuery = (guildId: string, webhookId: string) =>
  queryOptions({
    queryKey: [...webhookKey(guildId, webhookId), 'head'],
    queryFn: () =>
      taggedAnswerOf(
        api.GET('/api/guilds/{guildId}/webhooks/{webhookId}', { params: { path: { guildId, webhookId } } }),
      ),
  });

/** Other processes change this data, so it is refreshed while the page is visible. */
const followMs = 5_000;

/** The results of 24 hours of deliveries. */
export const statisticsQuery = (guildId: string, webhookId: string) =>
  queryOptions({
    queryKey: [...webhookKey(guildId, webhookId), 'statistics'],
    queryFn: () =>
      answerOf(
        api.GET('/api/guilds/{guildId}/webhooks/{webhookId}/statistics', { params: { path: { guildId, webhookId } } }),
      ),
    refetchInterval: 4 * followMs,
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

/** `isoIn`: the ISO time that much after now. */
export const deliveriesQuery = (
  guildId: string,
  webhookId: string,
  { within, ...filter }: DeliveryFilter,
  isoIn: (ms: number) => string,
) =>
  infiniteQueryOptions({
    queryKey: [...webhookKey(guildId, webhookId), 'deliveries', filter, within],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      answerOf(
        api.GET('/api/guilds/{guildId}/webhooks/{webhookId}/deliveries', {
          params: {
            path: { guildId, webhookId },
            query: {
              ...filter,
              ...(within && { since: isoIn(-spans[within]) }),
              limit: 50,
              ...(pageParam !== '' && { cursor: pageParam }),
            },
          },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // Only the first page follows: later ones would be asked for again one by one.
    refetchInterval: ({ state: { data } }) => (data !== undefined && data.pages.length > 1 ? false : followMs),
  });

const isOver = ({ state }: Pick<Delivery, 'state'>): boolean => state === 'succeeded' || state === 'failed';

/** A delivery with its attempts; asked for again while it is under way. */
export const deliveryQuery = (guildId: string, webhookId: string, deliveryId: string) =>
  queryOptions({
    queryKey: [...webhookKey(guildId, webhookId), 'delivery', deliveryId],
    queryFn: () =>
      answerOf(api.GET('/api/guilds/{guildId}/deliveries/{deliveryId}', { params: { path: { guildId, deliveryId } } })),
    refetchInterval: ({ state: { data } }) => (data === undefined || isOver(data) ? false : followMs),
  });
