import { platformAdmin } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { adminGuildFilters, listAllGuilds } from '../../src/features/admin/admin-guild-list.js';
import { adminGuildView } from '../../src/features/admin/admin-guild-view.js';
import { ok } from '../../src/lib/answer.js';
import { listOf, listQuery } from '../../src/lib/fields.js';

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
