import { z } from 'zod';
import { open } from '../../src/edges/http/access.js';
import { Route } from '../../src/edges/http/route.js';
import { ok } from '../../src/lib/answer.js';

export class Healthz extends Route {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /healthz',
      summary: 'Whether the process is alive',
      access: open,
      rateLimit: 'probes',
      answers: { 200: z.strictObject({ status: z.literal('alive') }) },
    });
  }

  override handle() {
    return ok({ status: 'alive' });
  }
}
