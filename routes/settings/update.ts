import { guildRole } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { guildParams } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';
import { entityTag, entityTagHeader, ifMatch, mayReplace } from '../../src/lib/entity-tag.js';
import { guildSettings } from '../../src/settings/guild-settings.js';
import { changeSettings } from '../../src/settings/settings-change.js';

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
