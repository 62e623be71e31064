import { person } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { listOf, listQuery } from '../../src/edges/http/list.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { listServersWithoutBot, serverWithoutBotView } from '../../src/features/overview/servers-without-bot.js';

export const ListServersWithoutBot = defineRoute({
  endpoint: 'GET /api/auth/me/servers',
  summary: 'The servers that the caller could manage at sign-in and that do not have the bot, each with an invite link',
  access: person,
  input: { query: listQuery },
  answers: { 200: listOf(serverWithoutBotView) },
  handle: async ({ actor, query }) => ok(await listServersWithoutBot(actor, query)),
});
