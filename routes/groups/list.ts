import { listGroups } from '../../src/groups/group-service.js';
import { groupView, viewGroup } from '../../src/groups/group-view.js';
import { guildRole } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { guildParams, listOf, listQuery } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';

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
