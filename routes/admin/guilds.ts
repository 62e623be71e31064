import { adminGuildFilters, listAllGuilds } from '../../src/admin/admin-guild-list.js';
import { adminGuildView } from '../../src/admin/admin-guild-view.js';
import { platformAdmin } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { listOf, listQuery } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';

const input = { query: listQuery.extend(adminGuildFilters) };

export class ListAllGuilds extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/admin/guilds',
      summary: 'All guilds, those too that the bot has left',
      access: platformAdmin,
      input,
      answers: { 200: listOf(adminGuildView) },
    });
  }

  override async handle({ query }: Request<typeof input>) {
    return ok(await listAllGuilds(query));
  }
}
