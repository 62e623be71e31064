import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { latestSwitch } from '../../src/features/sync/resync/switch-service.js';
import { switchView, viewSwitch } from '../../src/features/sync/resync/switch-view.js';

export const ReadSwitch = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/differences/switch',
  summary: 'The latest switch from observing to enforcing within seven days, and its result',
  access: guildRole('viewer'),
  answers: { 200: z.strictObject({ switch: switchView.nullable() }) },
  handle: async ({ guild }) => {
    const latest = await latestSwitch(guild);
    return ok({ switch: latest && viewSwitch(latest) });
  },
});
