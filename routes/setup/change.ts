import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { gameRefusals } from '../../src/edges/http/refusals.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { changeChoices, setupChange } from '../../src/features/setup/setup-change.js';
import { showSetup } from '../../src/features/setup/setup-shown.js';
import { setupView } from '../../src/features/setup/setup-view.js';

export const ChangeSetup = defineRoute({
  endpoint: 'PATCH /api/guilds/:guildId/setup',
  summary: 'Change choices of the setup; a group is attached immediately, the rest when the setup is applied',
  access: guildRole('admin'),
  input: { body: setupChange },
  answers: { 200: setupView },
  refusals: ['game_group_not_found', 'plan_limit_reached', ...gameRefusals, 'busy'],
  handle: async ({ guild, actor, body }) => ok(await showSetup(await changeChoices(guild, actor, body), actor)),
});
