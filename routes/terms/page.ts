import { open } from '../../src/edges/http/access.js';
import { html } from '../../src/edges/http/answer.js';
import { termsPage } from '../../src/edges/http/pages/operator-page.js';
import { defineRoute } from '../../src/edges/http/route.js';

export const Terms = defineRoute({
  endpoint: 'GET /terms',
  summary: "The terms that this bot's operator has published",
  access: open,
  answers: { 200: 'text/html' },
  refusals: ['not_found'],
  page: true,
  handle: async () => html(await termsPage()),
});
