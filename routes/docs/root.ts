import { open } from '../../src/edges/http/access.js';
import { seeOther } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';

export const Root = defineRoute({
  endpoint: 'GET /',
  summary: 'Leads to the description of this interface',
  access: open,
  answers: { 303: null },
  page: true,
  handle: () => seeOther('/docs'),
});
