import { open } from '../../src/edges/http/access.js';
import { text } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { metrics } from '../../src/lib/metrics.js';

export const Metrics = defineRoute({
  endpoint: 'GET /metrics',
  summary: 'Metrics of this process in the Prometheus text format',
  access: open,
  rateLimit: 'probes',
  answers: { 200: metrics.contentType },
  handle: async () => text(await metrics.metrics(), metrics.contentType),
});
