import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { listTeam } from '../../src/features/team/team-list.js';
import { teammateView, viewTeammate } from '../../src/features/team/teammate-view.js';
import { ok } from '../../src/lib/answer.js';
import { guildParams, listOf, listQuery } from '../../src/lib/fields.js';

const input = { params: guildParams, query: listQuery };

export class ListTeam extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/guilds/:guildId/team',
      summary:
        'The owner, who was invited, and whom Discord lets manage the server (of more than 1,000 members: who of them has signed in here)',
      access: guildRole('admin'),
      input,
      answers: { 200: listOf(teammateView) },
    });
  }

  override async handle({ guild, query }: Request<typeof input>) {
    const { data, nextCursor } = await listTeam(guild, query);
    return ok({ data: data.map(viewTeammate), nextCursor });
  }
}
