import { guildRole } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { guildParams, listOf, listQuery } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';
import { guildRoleView, listGuildRoles } from '../../src/roles/guild-role-list.js';

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
