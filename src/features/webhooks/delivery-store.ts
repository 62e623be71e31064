import { trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { newId } from '../../lib/ids.js';
import { dayMs } from '../../lib/time.js';
import { insertAllDirectly } from '../../platforms/database/direct-writes.js';
import { removeInSteps } from '../../platforms/database/in-steps.js';
import { isOfThisProcess } from '../../platforms/discord/process-share.js';
import { eventBody, type OutboxEvent, outboxIsEmpty } from '../../platforms/events/outbox.js';
import { wakeDeliveries } from './delivery-job.js';
import { Deliveries, type Delivery } from './delivery-model.js';
import type { WebhookEndpoint } from './endpoint-model.js';

/** How long a delivery is kept (HOOK-21), for reading and repeating. */
const keptMs = 30 * dayMs;

/** An event's delivery to an endpoint, due immediately. Its bytes are made here, once. */
export function newDelivery(event: OutboxEvent, webhookId: string, kind: Delivery['kind'], now: Date): Delivery {
  return {
    _id: newId('dlv', now),
    guildId: event.guildId,
    webhookId,
    eventId: event.id,
    event: event.event,
    eventAt: event.createdAt,
    ...(kind === 'event' && 'chatUserId' in event.data && { chatUserId: event.data.chatUserId }),
    kind,
    body: eventBody(event),
    state: 'pending',
    attempts: [],
    attemptCount: 0,
    nextAttemptAt: now,
    createdAt: now,
  };
}

/**
 * Stores each event's delivery to each endpoint that `endpointsOf` names, and starts them soon. An event that was
 * stored before changes nothing, so the relay can be repeated at any point.
 */
export async function storeDeliveries(
  events: readonly OutboxEvent[],
  endpointsOf: (event: OutboxEvent) => Promise<readonly Pick<WebhookEndpoint, '_id'>[]>,
): Promise<void> {
  const now = clock.now();
  const deliveries: Delivery[] = [];
  for (const event of events) {
    for (const { _id } of await endpointsOf(event)) deliveries.push(newDelivery(event, _id, 'event', now));
  }
  if (deliveries.length === 0) return;
  await insertAllDirectly(Deliveries.acrossGuilds, deliveries);
  // Their own process finds the others.
  wakeDeliveries(deliveries.filter(({ guildId }) => isOfThisProcess(guildId)).map(({ webhookId }) => webhookId));
}

/** Removes deliveries that are over and were stored more than 30 days ago. */
export async function purgeDeliveries(now: Date): Promise<void> {
  // Ids begin with the time, so their index finds the old ones.
  const before = newId('dlv', new Date(now.getTime() - keptMs));
  const isOver = { nextAttemptAt: trusted({ $exists: false }), ...outboxIsEmpty };
  await removeInSteps(Deliveries.acrossGuilds, { _id: trusted({ $lt: before }), ...isOver }, { _id: 1 });
}
