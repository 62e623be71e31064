import { signedIn } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { listGuilds } from '../../src/features/overview/guild-list.js';
import { guildSummaryView } from '../../src/features/overview/guild-view.js';
import { ok } from '../../src/lib/answer.js';
import { listOf, listQuery } from '../../src/lib/fields.js';

const input = { query: listQuery };

export class ListGuilds extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/guilds',
      summary: 'The guilds in which the bot is and the caller has a team role',
      access: signedIn,
      input,
      answers: { 200: listOf(guildSummaryView) },
    });
  }

  override async handle({ actor, query }: Request<typeof input>) {
    return ok(await listGuilds(actor, query));
  }
}
