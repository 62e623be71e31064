import { container } from '@sapphire/framework';
import { open } from '../../src/edges/http/access.js';
import { html } from '../../src/edges/http/answer.js';
import { docsPage } from '../../src/edges/http/docs-page.js';
import { describeApi } from '../../src/edges/http/openapi.js';
import { defineRoute } from '../../src/edges/http/route.js';

export const Docs = defineRoute({
  endpoint: 'GET /docs',
  summary: 'This interface, readable',
  access: open,
  answers: { 200: 'text/html' },
  page: true,
  handle: () => html(docsPage(describeApi(container.stores.get('routes').inMountingOrder()))),
});
