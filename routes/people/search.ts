import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { findPeople } from '../../src/platforms/discord/guild-members.js';

const mostFound = 10;

const personFound = z
  .strictObject({
    chatUserId: z.string(),
    username: z.string(),
    nickname: z.string().nullable(),
    avatarUrl: z.string().nullable(),
  })
  .meta({ id: 'PersonFound' });

export const SearchPeople = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/people',
  summary: 'People of the server on Discord by the start of their name or by id (`q`); 10 at most, without bots',
  access: guildRole('admin'),
  rateLimit: 'people_search',
  input: { query: z.strictObject({ q: z.string().trim().min(1).max(100) }) },
  answers: { 200: z.strictObject({ data: z.array(personFound) }) },
  handle: async ({ guild, query }) => ok({ data: await findPeople(guild._id, query.q, mostFound) }),
});
