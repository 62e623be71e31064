import { guildRole } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { guildParams } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';
import { importMappings } from '../../src/mappings/import-service.js';
import { importBody, importView } from '../../src/mappings/import-view.js';

const input = { params: guildParams, body: importBody };

export class ImportMappings extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'POST /api/guilds/:guildId/mappings/import',
      summary: 'Import mappings from JSON, CSV, Bloxlink or RoVer; at first only says what that would do',
      access: guildRole('manager'),
      input,
      answers: { 200: importView },
    });
  }

  override async handle({ guild, actor, body }: Request<typeof input>) {
    return ok(await importMappings(guild, actor, body));
  }
}
