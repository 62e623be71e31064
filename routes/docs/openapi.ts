import { z } from 'zod';
import { open } from '../../src/edges/http/access.js';
import { sameForAll } from '../../src/edges/http/answer.js';
import { apiDescription } from '../../src/edges/http/openapi/api-description.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { entityTagHeader, ifNoneMatch } from '../../src/lib/entity-tag.js';

export const OpenApi = defineRoute({
  endpoint: 'GET /api/openapi.json',
  summary: 'This interface as an OpenAPI 3.1 document',
  access: open,
  input: { headers: ifNoneMatch },
  answers: { 200: z.looseObject({ openapi: z.string() }), 304: null },
  answerHeaders: entityTagHeader,
  handle: () => sameForAll(apiDescription().files.json),
});
