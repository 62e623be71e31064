import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { guildRoleView, listGuildRoles } from '../../src/features/mappings/guild-role-list.js';
import { ok } from '../../src/lib/answer.js';
import { guildParams, listOf, listQuery } from '../../src/lib/fields.js';

const input = { params: guildParams, query: listQuery };

export class ListRoles extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/guilds/:guildId/roles',
      summary: 'The Discord roles of a guild, highest first, assignable by the bot or why not',
      access: guildRole('viewer'),
      input,
      answers: { 200: listOf(guildRoleView) },
    });
  }

  override async handle({ guild, query }: Request<typeof input>) {
    return ok(await listGuildRoles(guild._id, query));
  }
}
