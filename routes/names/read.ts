import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { namesOf } from '../../src/features/guild-views/known-names.js';
import { snowflakes } from '../../src/lib/ids.js';

export const ReadNames = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/names',
  summary: "The names of a guild's people and Discord roles, by id; unknown ids are left out",
  access: guildRole('viewer'),
  input: { query: z.strictObject({ ids: snowflakes(100) }) },
  answers: { 200: z.strictObject({ names: z.record(z.string(), z.string()) }) },
  handle: async ({ guild, query }) => ok({ names: await namesOf(guild._id, query.ids) }),
});
