import { trusted } from 'mongoose';
import type { Guild } from '../../core/guilds/guild-service.js';
import { Deliveries, openByEndpoint } from './delivery-model.js';
import type { WebhookEndpoint } from './endpoint-model.js';
import { deliverableEndpoints } from './endpoint-service.js';
import { type EndpointState, mostCounted } from './endpoint-view.js';

export async function readMemberStates(guild: Guild, endpoints: readonly WebhookEndpoint[]): Promise<EndpointState[]> {
  const [deliverable, waiting] = await Promise.all([
    deliverableEndpoints(guild),
    Promise.all(endpoints.map(({ _id }) => countWaiting(_id))),
  ]);
  const withinPlan = new Set(deliverable.map(({ _id }) => _id));
  return endpoints.map((endpoint, index) => ({
    endpoint,
    isWithinPlan: withinPlan.has(endpoint._id),
    waiting: waiting[index] ?? 0,
  }));
}

export async function readMemberState(guild: Guild, endpoint: WebhookEndpoint): Promise<EndpointState> {
  const [deliverable, waiting] = await Promise.all([deliverableEndpoints(guild), countWaiting(endpoint._id)]);
  return { endpoint, isWithinPlan: deliverable.some(({ _id }) => _id === endpoint._id), waiting };
}

function countWaiting(webhookId: string): Promise<number> {
  return Deliveries.acrossGuilds
    .countDocuments({ webhookId, nextAttemptAt: trusted({ $exists: true }) })
    .hint(openByEndpoint)
    .limit(mostCounted)
    .exec();
}
