import { platformAdmin } from '../../src/edges/http/access.js';
import { Route } from '../../src/edges/http/route.js';
import { platformMetricsView, readPlatformMetrics } from '../../src/features/admin/platform-metrics.js';
import { ok } from '../../src/lib/answer.js';

export class AdminMetrics extends Route {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/admin/metrics',
      summary: 'The numbers of the whole platform: guilds, people, work that waits, and this process',
      access: platformAdmin,
      answers: { 200: platformMetricsView },
    });
  }

  override async handle() {
    return ok(await readPlatformMetrics());
  }
}
