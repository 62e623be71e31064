import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { importMappings } from '../../src/features/mappings/import-service.js';
import { importBody, importView } from '../../src/features/mappings/import-view.js';
import { ok } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

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
