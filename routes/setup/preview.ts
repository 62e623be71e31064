import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { gameRefusals } from '../../src/edges/http/refusals.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { previewSetup, setupPreviewView } from '../../src/features/setup/setup-preview.js';
import { readSetup } from '../../src/features/setup/setup-service.js';

export const PreviewSetup = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/setup/preview',
  summary: 'Preview the setup in numbers, without applying it',
  access: guildRole('admin'),
  answers: { 200: setupPreviewView },
  refusals: ['plan_limit_reached', ...gameRefusals],
  handle: async ({ guild, actor }) => ok(await previewSetup(guild, actor, await readSetup(guild))),
});
