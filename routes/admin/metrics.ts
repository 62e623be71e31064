import { platformMetricsView, readPlatformMetrics } from '../../src/admin/platform-metrics.js';
import { platformAdmin } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { Route } from '../../src/http/route.js';

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
