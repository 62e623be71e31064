import { open } from '../../src/edges/http/access.js';
import { html } from '../../src/edges/http/answer.js';
import { privacyPage } from '../../src/edges/http/pages/operator-page.js';
import { defineRoute } from '../../src/edges/http/route.js';

export const Privacy = defineRoute({
  endpoint: 'GET /privacy',
  summary: "The data that this bot stores about people, in its operator's words or its own",
  access: open,
  answers: { 200: 'text/html' },
  refusals: ['not_found'],
  page: true,
  handle: async () => html(await privacyPage()),
});
