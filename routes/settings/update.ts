import { guildSettings } from '../../src/core/settings/guild-settings.js';
import { changeSettings } from '../../src/core/settings/settings-change.js';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { ok } from '../../src/lib/answer.js';
import { entityTag, entityTagHeader, ifMatch, mayReplace } from '../../src/lib/entity-tag.js';
import { guildParams } from '../../src/lib/fields.js';

const input = { params: guildParams, headers: ifMatch, body: guildSettings };

export class UpdateSettings extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'PUT /api/guilds/:guildId/settings',
      summary: 'Replace the settings of a guild, as a whole',
      access: guildRole('admin'),
      input,
      answers: { 200: guildSettings },
      answerHeaders: entityTagHeader,
    });
  }

  override async handle({ guild, actor, headers, body }: Request<typeof input>) {
    const onlyIf = (version: number) => mayReplace(headers['if-match'], entityTag(version));
    const { settings, version } = await changeSettings(guild, actor, () => body, onlyIf);
    return { ...ok(settings), headers: { ETag: entityTag(version) } };
  }
}
