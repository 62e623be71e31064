import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { factKey, factValue } from '../../src/features/mappings/reported-facts.js';
import { reportFacts } from '../../src/features/members/fact-reports.js';
import { mostFacts } from '../../src/features/members/member-facts.js';
import { gameId } from '../../src/lib/ids.js';

const facts = z
  .record(factKey, factValue.nullable())
  .refine((given) => Object.keys(given).length > 0, 'must have at least one fact')
  .refine((given) => Object.keys(given).length <= mostFacts, `must have at most ${mostFacts} facts`)
  .describe('1 to 20 facts by name. Others stay as they are, and null removes one.');

export const ReportFacts = defineRoute({
  endpoint: 'PUT /api/guilds/:guildId/facts',
  summary: "Store facts that the guild's own game reports about up to 100 players, such as their level",
  access: guildRole('manager', { byGame: true }),
  input: {
    body: z.strictObject({
      people: z
        .array(z.strictObject({ gameUserId: gameId, facts }))
        .min(1)
        .max(100),
    }),
  },
  answers: {
    200: z.strictObject({
      data: z
        .array(
          z.strictObject({
            gameUserId: gameId,
            status: z
              .enum(['stored', 'not_linked', 'too_many_facts'])
              .describe(
                'not_linked: no member here uses that account, and nothing is stored; too_many_facts: the person would have more than 20, and nothing of this entry is stored.',
              ),
          }),
        )
        .describe('One for each entry, in the same order.'),
    }),
  },
  refusals: ['busy'],
  rateLimit: 'facts',
  handle: async ({ guild, actor, body }) => ok({ data: await reportFacts(guild, actor, body.people) }),
});
