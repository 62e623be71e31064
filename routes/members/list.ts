import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { listMembers, memberSorts } from '../../src/features/members/member-list.js';
import { memberStatus, memberView, viewMember } from '../../src/features/members/member-view.js';
import { ok } from '../../src/lib/answer.js';
import { guildParams, listOf, listQuery } from '../../src/lib/fields.js';
import { gameId } from '../../src/lib/ids.js';

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
