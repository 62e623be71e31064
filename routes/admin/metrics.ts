import { platformAdmin } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { platformMetricsView, readPlatformMetrics } from '../../src/features/admin/platform-metrics.js';

export const AdminMetrics = defineRoute({
  endpoint: 'GET /api/admin/metrics',
  summary: 'Figures of the whole platform: guilds, people, pending work, and this process',
  access: platformAdmin,
  answers: { 200: platformMetricsView },
  handle: async () => ok(await readPlatformMetrics()),
});
