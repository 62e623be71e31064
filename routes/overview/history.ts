import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { historyLengths, historyView, readHistory } from '../../src/features/guild-views/guild-history.js';

export const ReadHistory = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/history',
  summary: 'Figures of a guild day by day: members, syncs, the age of ranks, and the holders of each mapping',
  access: guildRole('viewer'),
  input: { query: z.strictObject({ days: z.enum(historyLengths).default('30') }) },
  answers: { 200: historyView },
  handle: async ({ guild, query }) => ok(await readHistory(guild, Number(query.days))),
});
