import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { moveView, viewMove } from '../../src/features/setup/move-view.js';
import { readMove } from '../../src/features/setup/server-move.js';

export const ReadMove = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/move',
  summary: 'The way of a guild from another bot to Rolelink: its steps, and the one that comes now',
  access: guildRole('viewer'),
  answers: { 200: moveView },
  handle: async ({ guild }) => ok(viewMove(await readMove(guild))),
});
