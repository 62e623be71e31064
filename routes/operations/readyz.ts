import { z } from 'zod';
import { open } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { readiness } from '../../src/edges/operations/readiness.js';

const readinessView = z.strictObject({ database: z.boolean(), gateway: z.boolean(), jobs: z.boolean() });

export const Readyz = defineRoute({
  endpoint: 'GET /readyz',
  summary: 'Whether the process can do its work: database, gateway and jobs; 503 while it cannot',
  access: open,
  rateLimit: 'probes',
  answers: { 200: readinessView, 503: readinessView },
  handle: async () => {
    const body = await readiness();
    const isReady = Object.values(body).every(Boolean);
    return isReady ? ok(body) : { status: 503, body, headers: { 'retry-after': '5' } };
  },
});
