import { z } from 'zod';
import { open } from '../../src/edges/http/access.js';
import { text } from '../../src/edges/http/answer.js';
import { apiDescription } from '../../src/edges/http/api-description.js';
import { defineRoute } from '../../src/edges/http/route.js';

export const OpenApi = defineRoute({
  endpoint: 'GET /api/openapi.json',
  summary: 'This interface as an OpenAPI 3.1 document',
  access: open,
  answers: { 200: z.looseObject({ openapi: z.string() }) },
  handle: () => text(apiDescription().json, 'application/json; charset=utf-8'),
});
