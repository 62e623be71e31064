import { systemActor } from '../../../src/core/actors/actor.js';
import { Deliveries, type Delivery } from '../../../src/features/webhooks/delivery-model.js';
import { storeDeliveries } from '../../../src/features/webhooks/delivery-store.js';
import { DeliveryWorker, type WorkerOptions } from '../../../src/features/webhooks/delivery-worker.js';
import { createEndpoint, type WebhookEndpoint } from '../../../src/features/webhooks/endpoint-service.js';
import { targetDispatcher } from '../../../src/features/webhooks/target-guard.js';
import type { EventName } from '../../../src/platforms/events/event-types.js';
import { eventName } from '../../../src/platforms/events/event-types.js';
import { newEvent, type OutboxEvent } from '../../../src/platforms/events/outbox.js';
import { buildGuild, eventually, type TestGuild } from '../../support/build.js';
import { type Receiver, startReceiver } from './receiver.js';

export interface TestEndpoint {
  receiver: Receiver;
  endpoint: WebhookEndpoint;
  secret: string;
  webhookId: string;
}

/** A guild's endpoint for all events, and the server behind it, which the test must close. */
export async function buildEndpoint({ guild }: TestGuild): Promise<TestEndpoint> {
  const receiver = await startReceiver();
  const draft = { url: receiver.url, events: [...eventName.options], description: null, enabled: true };
  const { endpoint, secret } = await createEndpoint(guild, systemActor('test'), draft);
  return { receiver, endpoint, secret, webhookId: endpoint._id };
}

/** Registers hooks: each test gets its own guild and endpoint, which `take` is handed. */
export function useEndpoint(take: (guild: TestGuild, endpoint: TestEndpoint) => void): void {
  let endpoint: TestEndpoint;
  beforeEach(async () => {
    const guild = await buildGuild();
    endpoint = await buildEndpoint(guild);
    take(guild, endpoint);
  });
  afterEach(() => endpoint.receiver.close());
}

let serial = 0;

/** Something that happened in a guild. */
export function buildEvent({ guildId }: Pick<TestGuild, 'guildId'>, event: EventName = 'guild.suspended'): OutboxEvent {
  serial += 1;
  const chatUserId = '80351110224678912';
  if (event !== 'guild.suspended') {
    return newEvent('verification.completed', guildId, {
      chatUserId,
      gameUserId: '1',
      gameUsername: `Płayer ${serial} 🎮`,
    });
  }
  return newEvent(event, guildId, { reason: `Reason ${serial}`, suspendedAt: new Date().toISOString() });
}

/** Stores new events' deliveries to an endpoint, which the service begins to make. */
export async function deliver(guild: TestGuild, { endpoint }: TestEndpoint, count = 1): Promise<OutboxEvent[]> {
  const events = Array.from({ length: count }, () => buildEvent(guild, 'verification.completed'));
  await storeDeliveries(events, async () => [endpoint]);
  return events;
}

/** An endpoint's deliveries, oldest first. */
export function deliveriesOf({ endpoint: { guildId, _id: webhookId } }: TestEndpoint): Promise<Delivery[]> {
  return Deliveries.find({ guildId, webhookId }, { sort: { createdAt: 1, _id: 1 } });
}

export async function onlyDelivery(endpoint: TestEndpoint): Promise<Delivery> {
  const [delivery, ...others] = await deliveriesOf(endpoint);
  if (delivery === undefined || others.length > 0)
    throw new Error(`There are ${others.length} deliveries more than one.`);
  return delivery;
}

/** Waits until the endpoint's only delivery is in a state. */
export function inState(endpoint: TestEndpoint, state: Delivery['state']): Promise<Delivery> {
  return eventually(async () => {
    const delivery = await onlyDelivery(endpoint);
    return delivery.state === state && delivery.lease === undefined ? delivery : null;
  }, `the state ${state}`);
}

/** A second worker with its own clock. */
export function buildWorker(options: Partial<WorkerOptions> = {}): DeliveryWorker {
  const rules = { webhookAllowHttp: true, webhookAllowPrivate: true };
  const connect = (connections: number) => targetDispatcher({ rules, agent: { connections } });
  return new DeliveryWorker({ connect, now: () => new Date(), ...options });
}
