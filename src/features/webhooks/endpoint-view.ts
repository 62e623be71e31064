import { z } from 'zod';
import { config } from '../../config.js';
import { clock } from '../../lib/clock.js';
import { timestamp } from '../../lib/fields.js';
import { eventName } from '../../platforms/events/event-types.js';
import type { WebhookEndpoint } from './endpoint-model.js';
import { inForce } from './endpoint-secrets.js';

/** A long backlog is not counted to its end. */
export const mostCounted = 1_000;

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

/** The answer that shows a new secret, once. */
export const webhookWithSecretView = webhookView
  .extend({ secret: z.string().describe('Signs the deliveries. It is shown this once only') })
  .meta({ id: 'WebhookWithSecret' });

/** An endpoint, and how it stands: all that answers show of it. */
export interface EndpointStanding {
  endpoint: WebhookEndpoint;
  /** Whether the guild's plan allows it; the newest beyond the plan are paused. */
  isWithinPlan: boolean;
  /** Deliveries that are open, up to `mostCounted`. */
  waiting: number;
}

/** One endpoint as answers show it. */
export function viewEndpoint({ endpoint, isWithinPlan, waiting }: EndpointStanding): WebhookView {
  const { _id: webhookId, url, events, description, enabled, disabledReason = null, secrets } = endpoint;
  return {
    webhookId,
    url,
    events,
    description,
    enabled,
    disabledReason,
    paused: pauseOf(endpoint, isWithinPlan),
    secrets: inForce(secrets, clock.now()).map(({ fingerprint, createdAt, validUntil }) => ({
      fingerprint,
      createdAt: createdAt.toISOString(),
      validUntil: iso(validUntil),
    })),
    waiting,
    lastSuccessAt: iso(endpoint.lastSuccessAt),
    lastFailureAt: iso(endpoint.lastFailureAt),
    failingSince: iso(endpoint.failingSince),
    createdAt: endpoint.createdAt.toISOString(),
    updatedAt: endpoint.updatedAt.toISOString(),
  };
}

/** An endpoint and the secret that it has just been given. */
export function viewWithSecret(standing: EndpointStanding, secret: string): z.input<typeof webhookWithSecretView> {
  return { ...viewEndpoint(standing), secret };
}

function pauseOf({ enabled }: WebhookEndpoint, isWithinPlan: boolean): WebhookView['paused'] {
  if (!enabled) return null;
  if (!isWithinPlan) return 'plan_limit';
  return config().webhookDelivery === 'held' ? 'delivery_held' : null;
}

const iso = (moment: Date | null | undefined): string | null => moment?.toISOString() ?? null;
