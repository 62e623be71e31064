import { z } from 'zod';
import { open } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { describeApi } from '../../src/http/openapi.js';
import { Route } from '../../src/http/route.js';

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
