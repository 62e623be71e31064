import {
  type GuildSettings,
  guildSettings,
  settingsWished,
  wishedSettings,
} from '../../src/core/settings/guild-settings.js';
import { changeSettings } from '../../src/core/settings/settings-change.js';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { gameRefusals } from '../../src/edges/http/refusals.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { entityTag, entityTagHeader, ifMatch, onlyIf } from '../../src/lib/entity-tag.js';

export const UpdateSettings = defineRoute({
  endpoint: 'PUT /api/guilds/:guildId/settings',
  summary: 'Replace the settings of a guild, as a whole',
  access: guildRole('admin'),
  input: { headers: ifMatch, body: wishedSettings },
  answers: { 200: guildSettings },
  refusals: ['version_mismatch', 'plan_limit_reached', 'role_unmanageable', ...gameRefusals, 'busy'],
  answerHeaders: entityTagHeader,
  handle: async ({ guild, actor, headers, body }) => {
    const wish = (current: GuildSettings) => settingsWished(body, current);
    const { settings, version } = await changeSettings(guild, actor, wish, onlyIf(headers));
    return { ...ok(settings), headers: { ETag: entityTag(version) } };
  },
});
