import { guildSettings } from '../../src/core/settings/guild-settings.js';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { confirmSpared } from '../../src/features/sync/member/spared-members.js';
import { entityTag, entityTagHeader, ifMatch, onlyIf } from '../../src/lib/entity-tag.js';

export const ConfirmRestrictions = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/settings/restrictions/confirm',
  summary: 'Also apply the restrictions to people above their author',
  access: guildRole('owner'),
  input: { headers: ifMatch },
  answers: { 200: guildSettings },
  refusals: ['version_mismatch', 'busy'],
  answerHeaders: entityTagHeader,
  handle: async ({ guild, actor, headers }) => {
    const { settings, version } = await confirmSpared(guild, actor, onlyIf(headers));
    return { ...ok(settings), headers: { ETag: entityTag(version) } };
  },
});
