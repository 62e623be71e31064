import { trusted } from 'mongoose';
import { z } from 'zod';
import { logger } from '../../lib/logger.js';
import { type OutboxEvent, onEventStored } from '../../platforms/events/outbox.js';
import { relayOutboxes } from '../../platforms/events/outbox-relay.js';
import { jobsRunning } from '../../platforms/jobs/agenda.js';
import { defineJob } from '../../platforms/jobs/define-job.js';
import { wake } from '../../platforms/jobs/wake.js';
import { storeDeliveries } from './delivery-store.js';
import { type WebhookEndpoint, WebhookEndpoints } from './endpoint-model.js';
import { subscribedEndpoints } from './endpoint-service.js';

/** Events of so long are relayed together, so that syncs of many members cost a few writes a second more at most. */
const gatherMs = 200;

/** Makes deliveries of the events that wait in the documents that they are about. */
export const relayEvents = defineJob({
  name: 'relay-events',
  data: z.strictObject({}),
  concurrency: 1,
  run: (_data, { signal }) => relayOutboxes(deliverEvents, signal),
});

/** One delivery of each event to each endpoint that asks for it. An event that nobody asks for is forgotten. */
export async function deliverEvents(events: OutboxEvent[]): Promise<void> {
  const guildIds = [...new Set(events.map(({ guildId }) => guildId))];
  // Most guilds have none, and cost nothing more than this.
  const withEndpoints = await WebhookEndpoints.acrossGuilds.distinct('guildId', {
    guildId: trusted({ $in: guildIds }),
  });
  const asked = new Map<string, Promise<WebhookEndpoint[]>>();
  await storeDeliveries(events, async ({ guildId, event }) => {
    if (!withEndpoints.includes(guildId)) return [];
    const endpoints = asked.get(`${guildId} ${event}`) ?? subscribedEndpoints(guildId, event);
    asked.set(`${guildId} ${event}`, endpoints);
    return endpoints;
  });
}

let gathering = false;

// What is not relayed now, as the process ends, is relayed at the next start.
onEventStored(() => {
  if (gathering || !jobsRunning()) return;
  gathering = true;
  setTimeout(() => {
    gathering = false;
    wake(relayEvents, {}).catch((error: unknown) => logger.warn({ err: error }, 'events are relayed later'));
  }, gatherMs).unref();
});
