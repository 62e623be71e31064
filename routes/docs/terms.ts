import { open } from '../../src/edges/http/access.js';
import { html } from '../../src/edges/http/answer.js';
import { operatorPage } from '../../src/edges/http/operator-page.js';
import { defineRoute } from '../../src/edges/http/route.js';

export const Terms = defineRoute({
  endpoint: 'GET /terms',
  summary: 'On what terms people use this service, in the operator’s words',
  access: open,
  answers: { 200: 'text/html' },
  refusals: ['not_found'],
  page: true,
  handle: async () => html(await operatorPage('terms')),
});
