import { listGuilds } from '../../src/guilds/guild-list.js';
import { guildSummaryView } from '../../src/guilds/guild-view.js';
import { signedIn } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { listOf, listQuery } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';

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
