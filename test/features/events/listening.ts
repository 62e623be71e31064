import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import mongoose, { trusted } from 'mongoose';
import { Deliveries, type Delivery } from '../../../src/features/webhooks/delivery-model.js';
import { WebhookEndpoints } from '../../../src/features/webhooks/endpoint-model.js';
import { newId } from '../../../src/lib/ids.js';
import { type EventData, type EventName, eventName } from '../../../src/platforms/events/event-types.js';
import { api } from '../../support/api.js';
import { eventually } from '../../support/build.js';

/** An endpoint that receives the guild's events from now on, or only those named. Deliveries to it are held. */
export async function listen({ guildId }: { guildId: string }, events: EventName[] = eventName.options) {
  await relayed(guildId);
  const now = new Date();
  const about = { url: 'https://example.com/hook', description: null, enabled: true, secrets: [] };
  const dates = { createdAt: now, updatedAt: now };
  return WebhookEndpoints.insert({ _id: newId('whk', now), guildId, events, ...about, ...dates });
}

/** An event as a subscriber sees it. */
export interface HeardEvent<Name extends EventName = EventName> {
  id: string;
  event: Name;
  createdAt: string;
  guildId: string;
  data: EventData<Name>;
}

/** Waits until every event that is recorded in the guild is relayed. */
export async function relayed(guildId: string): Promise<void> {
  const filled = { outbox: trusted({ $elemMatch: { guildId, event: { $exists: true } } }) };
  const models = Object.values(mongoose.models).filter(({ schema }) => schema.path('outbox') !== undefined);
  await eventually(async () => {
    const found = await Promise.all(models.map((model) => model.exists(filled)));
    return found.every((one) => one === null);
  }, 'the relay');
}

/** A guild's delivery bodies in event order; each is checked against the OpenAPI document. */
export async function heard<Name extends EventName>(
  { guildId }: { guildId: string },
  ...names: Name[]
): Promise<HeardEvent<Name>[]> {
  await relayed(guildId);
  const deliveries = await Deliveries.find({ guildId });
  const events = await Promise.all(deliveries.map(readBody));
  expect(new Set(events.map(({ id }) => id)).size, 'an event was stored twice').to.equal(events.length);
  return events
    .filter((event): event is HeardEvent<Name> => names.some((name) => name === event.event))
    .sort((a, b) => a.createdAt.localeCompare(b.createdAt));
}

export async function dataOf<Name extends EventName>(
  guild: { guildId: string },
  name: Name,
): Promise<EventData<Name>[]> {
  return (await heard(guild, name)).map(({ data }) => data);
}

async function readBody({ eventId, event, body, guildId, eventAt }: Delivery): Promise<HeardEvent> {
  const sent: HeardEvent = JSON.parse(body);
  const validate = (await documentedBodies()).get(event);
  expect(validate?.(sent), JSON.stringify(validate?.errors)).to.equal(true);
  expect(sent).to.deep.include({ id: eventId, event, guildId, createdAt: eventAt.toISOString() });
  return sent;
}

let documented: Promise<Map<string, ValidateFunction>> | undefined;

/** Checks bodies by the schemas in the document's `webhooks`. */
function documentedBodies(): Promise<Map<string, ValidateFunction>> {
  documented ??= compileBodies();
  return documented;
}

async function compileBodies(): Promise<Map<string, ValidateFunction>> {
  const { body } = await api().get('/api/openapi.json');
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'components', $defs: body.components.schemas });
  const webhooks: [string, { post: { requestBody: { content: Record<string, { schema: { $ref: string } }> } } }][] =
    Object.entries(body.webhooks);
  return new Map(
    webhooks.map(([event, { post }]) => {
      const reference = post.requestBody.content['application/json']?.schema.$ref ?? '';
      return [event, ajv.compile({ $ref: reference.replace('#/components/schemas/', 'components#/$defs/') })];
    }),
  );
}
