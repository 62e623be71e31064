import { container } from '@sapphire/framework';
import { z } from 'zod';
import { open } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { describeApi } from '../../src/edges/http/openapi.js';
import { defineRoute } from '../../src/edges/http/route.js';

export const OpenApi = defineRoute({
  endpoint: 'GET /api/openapi.json',
  summary: 'This interface as an OpenAPI 3.1 document',
  access: open,
  answers: { 200: z.looseObject({ openapi: z.string() }) },
  handle: () => ok(describeApi(container.stores.get('routes').inMountingOrder())),
});
