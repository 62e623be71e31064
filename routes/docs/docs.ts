import { open } from '../../src/edges/http/access.js';
import { html } from '../../src/edges/http/answer.js';
import { apiDescription } from '../../src/edges/http/api-description.js';
import { defineRoute } from '../../src/edges/http/route.js';

export const Docs = defineRoute({
  endpoint: 'GET /docs',
  summary: 'This interface, readable',
  access: open,
  answers: { 200: 'text/html' },
  page: true,
  handle: () => html(apiDescription().html),
});
