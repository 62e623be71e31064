import { z } from 'zod';
import { open } from '../../src/edges/http/access.js';
import { describeApi } from '../../src/edges/http/openapi.js';
import { Route } from '../../src/edges/http/route.js';
import { ok } from '../../src/lib/answer.js';

export class OpenApi extends Route {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/openapi.json',
      summary: 'This interface as an OpenAPI 3.1 document',
      access: open,
      answers: { 200: z.looseObject({ openapi: z.string() }) },
    });
  }

  override handle() {
    return ok(describeApi(this.container.stores.get('routes').inMountingOrder()));
  }
}
