import { open } from '../../src/http/access.js';
import { text } from '../../src/http/answer.js';
import { metrics } from '../../src/http/metrics.js';
import { Route } from '../../src/http/route.js';

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
