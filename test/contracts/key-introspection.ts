import type { OpenApiDocument, OperationObject } from './contract-documents.js';

const json = (schema: object) => ({ 'application/json': { schema } });
const text = { type: 'string' };

/** Roblox documents POST /api-keys/v1/introspect in words and by an example only (cloud/auth/api-keys). */
const introspect: OperationObject = {
  servers: [{ url: 'https://apis.roblox.com' }],
  requestBody: {
    required: true,
    content: json({ type: 'object', properties: { apiKey: text }, required: ['apiKey'] }),
  },
  responses: {
    200: {
      content: json({
        type: 'object',
        properties: {
          name: text,
          authorizedUserId: { type: 'integer' },
          scopes: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                name: text,
                operations: { type: 'array', items: text },
                universeIds: { type: 'array', items: text },
              },
              required: ['name', 'operations'],
            },
          },
          enabled: { type: 'boolean' },
          expired: { type: 'boolean' },
          expirationTimeUtc: { type: 'string', format: 'date-time' },
        },
        required: ['name', 'scopes', 'enabled', 'expired'],
      }),
    },
  },
};

/** Adds the operation that Roblox's OpenAPI leaves out. */
export function addKeyIntrospection(document: OpenApiDocument): void {
  document.paths['/api-keys/v1/introspect'] = { post: introspect };
}
