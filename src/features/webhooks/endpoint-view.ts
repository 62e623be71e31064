import { trusted } from 'mongoose';
import { z } from 'zod';
import { config } from '../../config.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { shownFields } from '../../lib/shown-fields.js';
import { Deliveries, openByEndpoint } from './delivery-model.js';
import { endpointFields, sealedSecret, type WebhookEndpoint } from './endpoint-model.js';
import { inForce } from './endpoint-secrets.js';
import { deliverableEndpoints, type EndpointWithSecret } from './endpoint-service.js';

/** Counting a backlog stops at this number. */
const mostCounted = 1_000;

const shownSecret = shownFields(sealedSecret.omit({ sealed: true }));
const secretView = shownSecret.view.meta({ id: 'WebhookSecret' });
const shown = shownFields(endpointFields.omit({ guildId: true, secrets: true }), 'webhookId');

/** An endpoint in answers (SPEC §7). */
export const webhookView = shown.view
  .extend({
    paused: z
      .enum(['plan_limit', 'delivery_held'])
      .nullable()
      .describe(
        'Why it gets nothing although it is on: more are on than the plan allows, or delivery is held back here',
      ),
    secrets: z.array(secretView).describe('Those that sign now, newest first'),
    waiting: z.int().describe(`Deliveries that are to be made or made again; ${mostCounted} stands for more`),
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
  return {
    ...shown.show(endpoint),
    paused: pauseOf(endpoint, withinPlan),
    secrets: inForce(endpoint.secrets, clock.now()).map(shownSecret.show),
    waiting: await countWaiting(endpoint._id),
  };
}

function pauseOf({ _id, enabled }: WebhookEndpoint, withinPlan: ReadonlySet<string>): WebhookView['paused'] {
  if (!enabled) return null;
  if (!withinPlan.has(_id)) return 'plan_limit';
  return config().webhookDelivery === 'held' ? 'delivery_held' : null;
}

function countWaiting(webhookId: string): Promise<number> {
  return Deliveries.acrossGuilds
    .countDocuments({ webhookId, nextAttemptAt: trusted({ $exists: true }) })
    .hint(openByEndpoint)
    .limit(mostCounted)
    .exec();
}
