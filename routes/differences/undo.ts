import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { undoSwitch } from '../../src/features/sync/resync/switch-service.js';
import { switchView, viewSwitch } from '../../src/features/sync/resync/switch-view.js';

export const UndoSwitch = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/differences/undo',
  summary: 'Observe again, and revert the changes of the latest switch, within seven days',
  access: guildRole('admin'),
  answers: { 200: switchView },
  refusals: ['not_switched', 'busy'],
  handle: async ({ guild, actor }) => ok(viewSwitch(await undoSwitch(guild, actor))),
});
