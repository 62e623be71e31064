import { z } from 'zod';
import { signedByProvider } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { receiveGameErasure } from '../../src/features/privacy/game-erasure.js';

export const ReceiveGameErasure = defineRoute({
  endpoint: 'POST /api/privacy/roblox-webhook',
  summary: 'For Roblox: a person asked it to erase them',
  access: signedByProvider('roblox-signature'),
  input: { headers: z.object({ 'roblox-signature': z.string().optional() }) },
  answers: { 200: z.strictObject({ received: z.literal(true) }) },
  refusals: ['not_found'],
  rateLimit: 'provider',
  handle: async ({ rawBody, headers }) => {
    await receiveGameErasure(rawBody, headers['roblox-signature'] ?? '');
    return ok({ received: true });
  },
});
