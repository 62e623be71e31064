import { person } from '../../src/edges/http/access.js';
import { answerVerifyPage } from '../../src/edges/http/pages/verify-page-answer.js';
import { defineRoute } from '../../src/edges/http/route.js';

export const ShowVerifyPage = defineRoute({
  endpoint: 'GET /verify/:token',
  summary: 'The page where a person verifies',
  access: person,
  lane: 'press',
  answers: { 200: 'text/html' },
  page: true,
  handle: ({ actor, params: { token } }) => answerVerifyPage(token, actor),
});
