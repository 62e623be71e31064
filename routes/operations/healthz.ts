import { z } from 'zod';
import { open } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { Route } from '../../src/http/route.js';

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
