import { trusted } from 'mongoose';
import { z } from 'zod';
import { config } from '../../config.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { timestamp } from '../../lib/fields.js';
import { eventName } from '../../platforms/events/event-types.js';
import { Deliveries, openByEndpoint } from './delivery-model.js';
import type { WebhookEndpoint } from './endpoint-model.js';
import { inForce } from './endpoint-secrets.js';
import { deliverableEndpoints, type EndpointWithSecret } from './endpoint-service.js';

/** Counting a backlog stops at this number. */
const mostCounted = 1_000;

const secretView = z
  .strictObject({
    fingerprint: z.string().describe('The first 12 hex digits of the SHA-256 of the secret’s text'),
    createdAt: timestamp,
    validUntil: timestamp.nullable().describe('Null for the newest, which signs until it is rotated'),
  })
  .meta({ id: 'WebhookSecret' });

/** An endpoint in answers (SPEC §7). */
export const webhookView = z
  .strictObject({
    webhookId: z.string(),
    url: z.string(),
    events: z.array(eventName),
    description: z.string().nullable(),
    enabled: z.boolean(),
    disabledReason: z
      .enum(['gone', 'failing'])
      .nullable()
      .describe(
        'Why it was turned off by itself: it answered 410, or failed for five days. Turn it on again with PATCH',
      ),
    paused: z
      .enum(['plan_limit', 'delivery_held'])
      .nullable()
      .describe(
        'Why it gets nothing although it is on: more are on than the plan allows, or delivery is held back here',
      ),
    secrets: z.array(secretView).describe('Those that sign now, newest first'),
    waiting: z.int().describe(`Deliveries that are to be made or made again; ${mostCounted} stands for more`),
    lastSuccessAt: timestamp.nullable().describe('To the minute'),
    lastFailureAt: timestamp.nullable().describe('To the minute'),
    failingSince: timestamp.nullable().describe('The first failure since the last success'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Webhook' });
type WebhookView = z.input<typeof webhookView>;

/** An endpoint with its new secret, shown once. */
export const webhookWithSecretView = webhookView
  .extend({ secret: z.string().describe('Signs the deliveries. It is shown this once only') })
  .meta({ id: 'WebhookWithSecret' });

/** Endpoints of a guild as answers show them. */
export async function viewEndpoints(guild: Guild, endpoints: readonly WebhookEndpoint[]): Promise<WebhookView[]> {
  const withinPlan = new Set((await deliverableEndpoints(guild)).map(({ _id }) => _id));
  return Promise.all(endpoints.map((endpoint) => viewAsOf(endpoint, withinPlan)));
}

/** One endpoint as answers show it. */
export async function viewEndpoint(guild: Guild, endpoint: WebhookEndpoint): Promise<WebhookView> {
  const withinPlan = new Set((await deliverableEndpoints(guild)).map(({ _id }) => _id));
  return viewAsOf(endpoint, withinPlan);
}

/** An endpoint and the secret that it has just been given. */
export async function viewWithSecret(
  guild: Guild,
  { endpoint, secret }: EndpointWithSecret,
): Promise<z.input<typeof webhookWithSecretView>> {
  return { ...(await viewEndpoint(guild, endpoint)), secret };
}

async function viewAsOf(endpoint: WebhookEndpoint, withinPlan: ReadonlySet<string>): Promise<WebhookView> {
  const { _id: webhookId, url, events, description, enabled, disabledReason = null, secrets } = endpoint;
  return {
    webhookId,
    url,
    events,
    description,
    enabled,
    disabledReason,
    paused: pauseOf(endpoint, withinPlan),
    secrets: inForce(secrets, clock.now()).map(({ fingerprint, createdAt, validUntil }) => ({
      fingerprint,
      createdAt: createdAt.toISOString(),
      validUntil: iso(validUntil),
    })),
    waiting: await countWaiting(webhookId),
    lastSuccessAt: iso(endpoint.lastSuccessAt),
    lastFailureAt: iso(endpoint.lastFailureAt),
    failingSince: iso(endpoint.failingSince),
    createdAt: endpoint.createdAt.toISOString(),
    updatedAt: endpoint.updatedAt.toISOString(),
  };
}

function pauseOf({ _id, enabled }: WebhookEndpoint, withinPlan: ReadonlySet<string>): WebhookView['paused'] {
  if (!enabled) return null;
  if (!withinPlan.has(_id)) return 'plan_limit';
  return config().webhookDelivery === 'held' ? 'delivery_held' : null;
}

const iso = (moment: Date | null | undefined): string | null => moment?.toISOString() ?? null;

function countWaiting(webhookId: string): Promise<number> {
  return Deliveries.acrossGuilds
    .countDocuments({ webhookId, nextAttemptAt: trusted({ $exists: true }) })
    .hint(openByEndpoint)
    .limit(mostCounted)
    .exec();
}
