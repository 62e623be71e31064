import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { gameRefusals } from '../../src/edges/http/refusals.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { importMappings } from '../../src/features/mapping-import/import-service.js';
import { importBody, importView } from '../../src/features/mapping-import/import-view.js';

export const ImportMappings = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/mappings/import',
  summary: 'Import mappings from JSON, CSV, Bloxlink, RoVer or RoWifi; a dry run by default',
  access: guildRole('manager'),
  input: { body: importBody },
  repeatable: true,
  answers: { 200: importView },
  refusals: ['plan_limit_reached', ...gameRefusals, 'busy'],
  handle: async ({ guild, actor, body }) => ok(await importMappings(guild, actor, body)),
});
