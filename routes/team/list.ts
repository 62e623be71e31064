import { guildRole } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { guildParams, listOf, listQuery } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';
import { listTeam } from '../../src/team/team-list.js';
import { teammateView, viewTeammate } from '../../src/team/teammate-view.js';

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
