import { open } from '../../src/edges/http/access.js';
import { Route } from '../../src/edges/http/route.js';
import { text } from '../../src/lib/answer.js';
import { metrics } from '../../src/lib/metrics.js';

export class Metrics extends Route {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /metrics',
      summary: 'Metrics of this process in the Prometheus text format',
      access: open,
      rateLimit: 'probes',
      answers: { 200: metrics.contentType },
    });
  }

  override async handle() {
    return text(await metrics.metrics(), metrics.contentType);
  }
}
