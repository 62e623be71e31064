import { listGroups } from '../../src/core/groups/group-service.js';
import { groupView, viewGroup } from '../../src/core/groups/group-view.js';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { ok } from '../../src/lib/answer.js';
import { guildParams, listOf, listQuery } from '../../src/lib/fields.js';

const input = { params: guildParams, query: listQuery };

export class ListGroups extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/guilds/:guildId/groups',
      summary: 'The Roblox groups that are attached to a guild, with their roles',
      access: guildRole('viewer'),
      input,
      answers: { 200: listOf(groupView) },
    });
  }

  override async handle({ guild, query }: Request<typeof input>) {
    const { data, nextCursor } = await listGroups(guild._id, query);
    return ok({ data: data.map(viewGroup), nextCursor });
  }
}
