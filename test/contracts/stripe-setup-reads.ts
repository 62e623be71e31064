import type { OpenApiDocument, OperationObject, Schema } from './contract-documents.js';

const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const text: object = { type: 'string' };
const upTo100: object = { type: 'integer', minimum: 1, maximum: 100 };
const textOrNull = { type: ['string', 'null'] };

const read = (schema: Schema, ...parameters: OperationObject['parameters'] & object): OperationObject => ({
  parameters,
  responses: { 200: json(schema), default: json({ $ref: '#/components/schemas/error' }) },
});

/** As the package `stripe` declares it (`WebhookEndpoint`). */
const fields = {
  id: text,
  object: { const: 'webhook_endpoint' },
  api_version: textOrNull,
  application: textOrNull,
  created: { type: 'integer' },
  description: textOrNull,
  enabled_events: { type: 'array', items: text },
  livemode: { type: 'boolean' },
  metadata: { type: 'object', additionalProperties: text },
  status: text,
  url: text,
};
const listFields = {
  object: { const: 'list' },
  data: { type: 'array', items: { type: 'object', properties: fields, required: Object.keys(fields) } },
  has_more: { type: 'boolean' },
  url: text,
};
const endpoints: object = { type: 'object', properties: listFields, required: Object.keys(listFields) };

/** Adds a set-up's two reads missing in the derived document: a price, and the webhook endpoint list. */
export function addSetupReads(document: OpenApiDocument): void {
  const price = { name: 'price', in: 'path', required: true, schema: text } as const;
  const limit = { name: 'limit', in: 'query', schema: upTo100 } as const;
  document.paths['/v1/prices/{price}'] = { get: read({ $ref: '#/components/schemas/Price' }, price) };
  document.paths['/v1/webhook_endpoints'] = { get: read(endpoints, limit) };
}
