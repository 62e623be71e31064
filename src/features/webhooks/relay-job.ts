import { trusted } from 'mongoose';
import { keepEntries } from '../../core/audit/audit-service.js';
import { secondMs } from '../../lib/time.js';
import { type OutboxEvent, onEventStored } from '../../platforms/events/outbox.js';
import { relayOutboxes } from '../../platforms/events/outbox-relay.js';
import { jobsRunning } from '../../platforms/jobs/runs.js';
import { poke, standing } from '../../platforms/jobs/standing.js';
import { storeDeliveries } from './delivery-store.js';
import { type WebhookEndpoint, WebhookEndpoints } from './endpoint-model.js';
import { subscribedEndpoints } from './endpoint-service.js';

/** Events within this time are relayed together, so that many members' syncs cost only a few more writes a second. */
const gatherMs = 200;

/** Relays events that wait in their documents' outboxes, also those that other processes stored (HOOK-29). */
const relayEvents = standing({
  name: 'relay-events',
  everyMs: 5 * secondMs,
  atStart: true,
  inEachProcess: true,
  run: (signal) => relayNow(signal),
});

/** Empties all outboxes: events become deliveries, and log entries that a killed process left are put into the log. */
export function relayNow(signal: AbortSignal): Promise<void> {
  return relayOutboxes({ deliverEvents, keepEntries }, signal);
}

/** Stores one delivery for each event and subscribed endpoint. An event without subscribers is dropped. */
async function deliverEvents(events: OutboxEvent[]): Promise<void> {
  const guildIds = [...new Set(events.map(({ guildId }) => guildId))];
  // Most guilds have no endpoints, and cost only this query.
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

// Events that are not relayed because the process ends are relayed at the next start.
onEventStored(() => {
  if (gathering || !jobsRunning()) return;
  gathering = true;
  setTimeout(() => {
    gathering = false;
    poke(relayEvents);
  }, gatherMs).unref();
});
