import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { picturesOf } from '../../src/features/members/member-pictures.js';
import { snowflakes } from '../../src/lib/ids.js';

const addresses = z.record(z.string(), z.string());

export const ReadPictures = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/pictures',
  summary:
    'The addresses of the Roblox heads of linked members and of Discord pictures, by Discord id; others are left out',
  access: guildRole('viewer'),
  input: { query: z.strictObject({ ids: snowflakes(100) }) },
  answers: { 200: z.strictObject({ pictures: addresses, avatars: addresses }) },
  handle: async ({ guild, query }) => ok(await picturesOf(guild._id, query.ids)),
});
