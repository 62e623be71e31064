import { z } from 'zod';
import { guildRole } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { guildParams, listOf, listQuery } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';
import { gameId } from '../../src/lib/ids.js';
import { listMembers, memberSorts } from '../../src/members/member-list.js';
import { memberStatus, memberView, viewMember } from '../../src/members/member-view.js';

const input = {
  params: guildParams,
  query: listQuery.extend({
    q: z.string().min(1).max(64).optional(),
    gameUserId: gameId.optional(),
    status: memberStatus.optional(),
    sort: z.enum(memberSorts).default('-linkedAt'),
  }),
};

export class ListMembers extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/guilds/:guildId/members',
      summary: 'The linked members of a guild; `gameUserId` finds the member of a game account',
      access: guildRole('viewer'),
      input,
      answers: { 200: listOf(memberView) },
    });
  }

  override async handle({ guild, query }: Request<typeof input>) {
    const { data, nextCursor } = await listMembers(guild._id, query);
    return ok({ data: data.map(viewMember), nextCursor });
  }
}
