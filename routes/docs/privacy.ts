import { open } from '../../src/edges/http/access.js';
import { html } from '../../src/edges/http/answer.js';
import { operatorPage } from '../../src/edges/http/operator-page.js';
import { defineRoute } from '../../src/edges/http/route.js';

export const Privacy = defineRoute({
  endpoint: 'GET /privacy',
  summary: 'What is kept about people, in the operator’s words',
  access: open,
  answers: { 200: 'text/html' },
  refusals: ['not_found'],
  page: true,
  handle: async () => html(await operatorPage('privacy')),
});
