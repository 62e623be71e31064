import { z } from 'zod';
import { open } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';

export const Healthz = defineRoute({
  endpoint: 'GET /healthz',
  summary: 'Whether the process is alive',
  access: open,
  rateLimit: 'probes',
  answers: { 200: z.strictObject({ status: z.literal('alive') }) },
  handle: () => ok({ status: 'alive' }),
});
