import type { oas31, ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import {
  type EventName,
  eventData,
  eventEnvelope,
  eventSummaries,
  eventTypeName,
} from '../../../platforms/events/event-types.js';

export const eventsTag = {
  name: 'events',
  description:
    "What Rolelink sends to the webhook endpoints of a guild: each event as an HTTP POST, signed with the endpoint's " +
    'secret. An answer of 2xx within 10 s takes it; anything else is a failure, and is tried again for 24 hours. An ' +
    'event may come more than once, with the same id and the same bytes, and not in the order in which things happened.',
};

const header = (
  name: string,
  description: string,
  schema: oas31.SchemaObject,
  required = true,
): oas31.ParameterObject => ({ name, in: 'header', required, description, schema: { type: 'string', ...schema } });

const headersOf = (event: EventName) => [
  header('x-link-signature', 't=<timestamp>,v1=<hmac-sha256>: one v1 for each secret in force, over the raw body', {
    pattern: '^t=\\d+(,v1=[0-9a-f]{64})+$',
  }),
  header('x-link-event', 'The event name', { const: event }),
  header('x-link-delivery', '<delivery_id>, an identifier of the delivery', { pattern: '^dlv_[0-9a-f]{24}$' }),
  header('webhook-id', 'Standard Webhooks: the id of the event', { pattern: '^evt_[0-9a-f]{24}$' }),
  header('webhook-timestamp', 'Standard Webhooks: when this attempt was made, in Unix seconds', { pattern: '^\\d+$' }),
  header('webhook-signature', 'Standard Webhooks: over webhook-id.webhook-timestamp.body', {
    pattern: '^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)*$',
  }),
  header(
    'x-link-test',
    'There when somebody tries the endpoint out: the event tells of nothing',
    { const: 'true' },
    false,
  ),
];

/** The events in OpenAPI form, from the same schemas that produce their bodies (API-51). */
export function describeEvents(): ZodOpenApiPathsObject {
  const describe = (event: EventName): ZodOpenApiOperationObject => ({
    operationId: `send${eventTypeName(event)}`,
    summary: eventSummaries[event],
    description: 'Sent to the endpoints that ask for it, on the plans pro and enterprise.',
    tags: [eventsTag.name],
    security: [],
    parameters: headersOf(event),
    requestBody: { required: true, content: { 'application/json': { schema: eventEnvelope(event) } } },
    responses: {
      '2XX': { description: 'Taken. The body of the answer is kept for the list of deliveries, up to 4 KiB.' },
    },
  });
  const names = Object.keys(eventData) as EventName[];
  return Object.fromEntries(names.map((event) => [event, { post: describe(event) }]));
}
