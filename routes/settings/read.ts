import { guildSettings } from '../../src/core/settings/guild-settings.js';
import { readVersionedSettings } from '../../src/core/settings/settings-service.js';
import { guildRole } from '../../src/edges/http/access.js';
import { notModified, ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { entityTag, entityTagHeader, ifNoneMatch, isKnownByCaller } from '../../src/lib/entity-tag.js';

export const ReadSettings = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/settings',
  summary: 'The settings of a guild',
  access: guildRole('viewer'),
  input: { headers: ifNoneMatch },
  answers: { 200: guildSettings, 304: null },
  answerHeaders: entityTagHeader,
  handle: async ({ guild, headers }) => {
    const { settings, version } = await readVersionedSettings(guild._id);
    const ETag = entityTag(version);
    const known = isKnownByCaller(headers['if-none-match'], ETag);
    return { ...(known ? notModified : ok(settings)), headers: { ETag } };
  },
});
