import { open } from '../../src/edges/http/access.js';
import { sameForAll } from '../../src/edges/http/answer.js';
import { apiDescription } from '../../src/edges/http/openapi/api-description.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { entityTagHeader, ifNoneMatch } from '../../src/lib/entity-tag.js';

export const Docs = defineRoute({
  endpoint: 'GET /docs',
  summary: 'This interface, readable',
  access: open,
  input: { headers: ifNoneMatch },
  answers: { 200: 'text/html', 304: null },
  answerHeaders: entityTagHeader,
  page: true,
  handle: () => sameForAll(apiDescription().files.html),
});
