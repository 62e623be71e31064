import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { removeGroup } from '../../src/features/mappings/group-removal.js';
import { noContent } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

const input = {
  params: guildParams.extend({ groupId: z.string() }),
  query: z.strictObject({ cascade: z.enum(['true', 'false']).default('false') }),
};

export class RemoveGroup extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'DELETE /api/guilds/:guildId/groups/:groupId',
      summary: 'Detach a Roblox group; with cascade=true also remove the mappings that name it',
      access: guildRole('manager'),
      input,
      answers: { 204: null },
    });
  }

  override async handle({ guild, actor, params, query }: Request<typeof input>) {
    await removeGroup(guild, actor, params.groupId, { cascade: query.cascade === 'true' });
    return noContent();
  }
}
