import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { findPanel, panelView, viewPanel } from '../../src/features/setup/panel-service.js';

export const ReadPanel = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/panel',
  summary: 'The message with the Verify button that was posted last',
  access: guildRole('viewer'),
  answers: { 200: z.strictObject({ panel: panelView.nullable().describe('Null: none, or it is gone from Discord.') }) },
  handle: async ({ guild }) => {
    const panel = await findPanel(guild);
    return ok({ panel: panel === null ? null : viewPanel(panel) });
  },
});
