import { z } from 'zod';
import { open } from '../../src/edges/http/access.js';
import { Route } from '../../src/edges/http/route.js';
import { readiness } from '../../src/edges/operations/readiness.js';

const readinessView = z.strictObject({ database: z.boolean(), gateway: z.boolean(), jobs: z.boolean() });

export class Readyz extends Route {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /readyz',
      summary: 'Whether the process can do its work: database, gateway and jobs; 503 while it cannot',
      access: open,
      rateLimit: 'probes',
      answers: { 200: readinessView, 503: readinessView },
    });
  }

  override async handle() {
    const body = await readiness();
    return { status: Object.values(body).every(Boolean) ? 200 : 503, body };
  }
}
