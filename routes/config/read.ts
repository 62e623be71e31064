import { guildRole } from '../../src/edges/http/access.js';
import { notModified, ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { currentConfig } from '../../src/features/configuration/config-document.js';
import { readConfig } from '../../src/features/configuration/config-service.js';
import { entityTagHeader, ifNoneMatch, isKnownByCaller } from '../../src/lib/entity-tag.js';

export const ReadConfig = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/config',
  summary: 'The configuration of a guild in one document: groups, mappings and settings',
  access: guildRole('viewer'),
  input: { headers: ifNoneMatch },
  answers: { 200: currentConfig, 304: null },
  answerHeaders: entityTagHeader,
  yaml: true,
  handle: async ({ guild, headers }) => {
    const { config, tag: ETag } = await readConfig(guild);
    const known = isKnownByCaller(headers['if-none-match'], ETag);
    return { ...(known ? notModified : ok(config)), headers: { ETag } };
  },
});
