import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { readSetup } from '../../src/features/setup/setup-service.js';
import { showSetup } from '../../src/features/setup/setup-shown.js';
import { setupView } from '../../src/features/setup/setup-view.js';

export const ReadSetup = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/setup',
  summary: 'The setup in progress of a guild, also on Discord: its choices, ranks with roles, and obstacles',
  access: guildRole('admin'),
  answers: { 200: setupView },
  handle: async ({ guild, actor }) => ok(await showSetup(await readSetup(guild), actor)),
});
