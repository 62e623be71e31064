import { z } from 'zod';
import { person } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { listServersWithoutBot, serverWithoutBotView } from '../../src/features/me/servers-without-bot.js';

export const ListServersWithoutBot = defineRoute({
  endpoint: 'GET /api/auth/me/servers',
  summary: 'The servers that the caller could manage at sign-in and that do not have the bot, each with an invite link',
  access: person,
  answers: {
    200: z.strictObject({
      data: z.array(serverWithoutBotView),
      known: z
        .boolean()
        .describe('False when they signed in to verify: signing in once more at /api/auth/login tells.'),
    }),
  },
  handle: async ({ actor }) => {
    const servers = await listServersWithoutBot(actor);
    return ok({ data: servers ?? [], known: servers !== null });
  },
});
