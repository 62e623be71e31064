import { z } from 'zod';
import { open } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { readiness } from '../../src/edges/operations/readiness.js';

const readinessView = z.strictObject({
  database: z.boolean(),
  gateway: z.boolean(),
  jobs: z.boolean(),
  warnings: z.array(z.string()),
});

export const Readyz = defineRoute({
  endpoint: 'GET /readyz',
  summary:
    'Whether the process can do its work: database, gateway and jobs; 503 while it cannot. Warnings stop nothing',
  access: open,
  rateLimit: 'probes',
  answers: { 200: readinessView, 503: readinessView },
  handle: async () => {
    const { ready, parts, warnings } = await readiness();
    const body = { ...parts, warnings };
    return ready ? ok(body) : { status: 503, body, headers: { 'retry-after': '5' } };
  },
});
