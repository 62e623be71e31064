import Router from '@koa/router';
import { z } from 'zod';
import type { ApiKey } from './api-key.js';
import type { WireState } from './wire-context.js';
import { legacyError } from './wire-errors.js';

const introspection = z.object({ apiKey: z.string() });

/** Roblox's answer about an API key; it accepts no other credentials than the key itself. */
export function apiKeyRoutes(key: ApiKey): Router<WireState> {
  const router = new Router<WireState>({ prefix: '/apis/api-keys' });

  router.post('/v1/introspect', (ctx) => {
    const asked = introspection.safeParse(ctx.request.body);
    if (!asked.success) throw legacyError(400, 0, 'The request body is invalid.');
    if (asked.data.apiKey !== key.secret) throw legacyError(401, 0, 'Invalid API Key');
    ctx.body = key.describe();
  });

  return router;
}
