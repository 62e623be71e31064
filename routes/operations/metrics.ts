import { z } from 'zod';
import { open } from '../../src/edges/http/access.js';
import { text } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { requireMetricsToken } from '../../src/edges/operations/metrics-access.js';
import { metrics, metricsText } from '../../src/lib/metrics.js';

export const Metrics = defineRoute({
  endpoint: 'GET /metrics',
  summary:
    'Metrics of this process in the Prometheus text format; where METRICS_TOKEN is set, only for callers that send it as a bearer token',
  access: open,
  rateLimit: 'metrics',
  input: { headers: z.object({ authorization: z.string().optional() }) },
  answers: { 200: metrics.contentType },
  refusals: ['unauthenticated'],
  handle: async ({ headers: { authorization } }) => {
    requireMetricsToken(authorization);
    return text(await metricsText(), metrics.contentType);
  },
});
