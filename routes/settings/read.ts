import { guildSettings } from '../../src/core/settings/guild-settings.js';
import { readVersionedSettings } from '../../src/core/settings/settings-service.js';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { notModified, ok } from '../../src/lib/answer.js';
import { entityTag, entityTagHeader, ifNoneMatch, isKnownByCaller } from '../../src/lib/entity-tag.js';
import { guildParams } from '../../src/lib/fields.js';

const input = { params: guildParams, headers: ifNoneMatch };

export class ReadSettings extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/guilds/:guildId/settings',
      summary: 'The settings of a guild',
      access: guildRole('viewer'),
      input,
      answers: { 200: guildSettings, 304: null },
      answerHeaders: entityTagHeader,
    });
  }

  override async handle({ guild, headers }: Request<typeof input>) {
    const { settings, version } = await readVersionedSettings(guild._id);
    const ETag = entityTag(version);
    const known = isKnownByCaller(headers['if-none-match'], ETag);
    return { ...(known ? notModified : ok(settings)), headers: { ETag } };
  }
}
