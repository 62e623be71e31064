import { trusted } from 'mongoose';
import type { Actor } from '../../core/actors/actor.js';
import { enterLog, type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import type { Page, PageQuery } from '../../lib/cursor.js';
import { Conflict, NotFound } from '../../lib/errors.js';
import { type EventName, eventName } from '../../platforms/events/event-types.js';
import { type OutboxEvent, push } from '../../platforms/events/outbox.js';
import { deliveriesAreLive, sendAtOnce, wakeDeliveries } from './delivery-job.js';
import {
  type Attempt,
  Deliveries,
  type Delivery,
  type DeliveryState,
  deliveryIdAt,
  deliveryListIndex,
  deliveryStates,
} from './delivery-model.js';
import { newDelivery } from './delivery-store.js';
import { type WebhookEndpoint, WebhookEndpoints } from './endpoint-model.js';
import { deliverableEndpoints, getEndpoint } from './endpoint-service.js';

export interface DeliveryFilter extends PageQuery {
  state?: DeliveryState | undefined;
  event?: EventName | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
}

const finalStates: DeliveryState[] = ['succeeded', 'failed'];

export const dueAgain = (now: Date) => ({
  $set: { state: 'pending' as const, once: true, nextAttemptAt: now },
  $unset: { completedAt: 1, failureReason: 1 } as const,
});

/** A page with an endpoint's deliveries, newest first. Throws NotFound `webhook_not_found`. */
export async function listDeliveries(
  guildId: string,
  webhookId: string,
  filter: DeliveryFilter,
): Promise<Page<Delivery>> {
  await getEndpoint(guildId, webhookId);
  const { state, event, since = new Date(0), until } = filter;
  // Each state and event is named, so that the index returns every page in order, also for rare matches.
  const states = trusted({ $in: state ? [state] : [...deliveryStates] });
  const events = trusted({ $in: event ? [event] : [...eventName.options] });
  const order = { field: '_id', direction: -1, hint: deliveryListIndex } as const;
  const range = { $gte: deliveryIdAt(since), ...(until && { $lt: deliveryIdAt(until) }) };
  // The page adds its own bound to `_id`.
  const within = since.getTime() > 0 || until ? { $and: [{ _id: trusted(range) }] } : {};
  return Deliveries.page({ guildId, webhookId, state: states, event: events, ...within }, filter, order);
}

/** Throws NotFound `delivery_not_found`. */
export async function getDelivery(guildId: string, deliveryId: string): Promise<Delivery> {
  const delivery = await Deliveries.findOne({ _id: deliveryId, guildId });
  if (delivery === null) throw new NotFound('delivery_not_found', 'There is no such delivery in this server.');
  return delivery;
}

/**
 * Repeats a delivery: the same id, event and bytes, in one attempt that is not retried (HOOK-20).
 * @throws NotFound `delivery_not_found`; Conflict `delivery_in_progress`, `person_erased`, and `requireDeliverable`'s.
 */
export async function redeliver(guild: Guild, actor: Actor, deliveryId: string): Promise<Delivery> {
  const before = await getDelivery(guild._id, deliveryId);
  if (before.personErased) {
    throw new Conflict('person_erased', "The person in this delivery has been erased, so it can't be sent again.");
  }
  await requireDeliverable(guild, await findEndpoint(before));
  const { state: from } = before;
  const changes = { state: { from, to: 'pending' } };
  const target = { kind: 'delivery', id: deliveryId, name: before.event };
  const entry = newEntry({ guildId: guild._id, actor, action: 'delivery.redelivered', target, changes });
  const over = { _id: deliveryId, guildId: guild._id, state: from };
  const change = { ...dueAgain(clock.now()), ...push(entry) };
  const after = finalStates.includes(from) ? await Deliveries.update(over, change) : null;
  if (after === null) {
    throw new Conflict(
      'delivery_in_progress',
      'This delivery is still in progress. Wait until it has succeeded or failed.',
    );
  }
  await enterLog(entry);
  wakeDeliveries([after.webhookId]);
  return after;
}

/**
 * Sends a test event to an endpoint immediately and waits at most 10 s for the answer. It is stored as a delivery with
 * its log `entries`, and not retried. A disabled endpoint can be tested before it is enabled.
 * @throws Conflict `delivery_held`, `webhook_paused`.
 */
export async function deliverTest(
  guild: Guild,
  endpoint: WebhookEndpoint,
  event: OutboxEvent,
  ...entries: NewEntry[]
): Promise<{ deliveryId: string; attempt: Attempt }> {
  if (endpoint.enabled) await requireDeliverable(guild, endpoint);
  else requireLive();
  const delivery = newDelivery(event, endpoint._id, 'test', clock.now());
  const attempt = await sendAtOnce({ ...delivery, outbox: entries }, endpoint);
  await enterLog(...entries);
  return { deliveryId: delivery._id, attempt };
}

async function findEndpoint({ guildId, webhookId }: Delivery): Promise<WebhookEndpoint> {
  const endpoint = await WebhookEndpoints.findOne({ _id: webhookId, guildId });
  if (endpoint === null) throw new Conflict('webhook_removed', 'The webhook for this delivery has been removed.');
  return endpoint;
}

/**
 * Refuses deliveries that would have to wait: a manual request is meant for now.
 * @throws Conflict `delivery_held`, `webhook_disabled`, `webhook_paused`.
 */
export async function requireDeliverable(guild: Guild, { _id, enabled }: WebhookEndpoint): Promise<void> {
  requireLive();
  if (!enabled) throw new Conflict('webhook_disabled', 'This webhook is turned off: turn it on first.');
  const deliverable = await deliverableEndpoints(guild);
  if (deliverable.some((endpoint) => endpoint._id === _id)) return;
  throw new Conflict('webhook_paused', `The plan ${guild.plan} does not cover this webhook: it is paused.`, {
    plan: guild.plan,
  });
}

function requireLive(): void {
  if (deliveriesAreLive()) return;
  throw new Conflict('delivery_held', 'Webhooks are held back on this platform. Nothing is delivered for now.');
}
