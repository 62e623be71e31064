import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { removeMapping } from '../../src/features/mappings/mapping-service.js';
import { noContent } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

const input = { params: guildParams.extend({ mappingId: z.string() }) };

export class RemoveMapping extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'DELETE /api/guilds/:guildId/mappings/:mappingId',
      summary: 'Remove a mapping; members keep the roles that they have by it',
      access: guildRole('manager'),
      input,
      answers: { 204: null },
    });
  }

  override async handle({ guild, actor, params }: Request<typeof input>) {
    await removeMapping(guild, actor, params.mappingId);
    return noContent();
  }
}
