import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { getMember } from '../../src/features/members/member-service.js';
import { readMemberNow } from '../../src/features/sync/member/member-detail.js';
import { memberDetailView, viewMemberDetail } from '../../src/features/sync/member/member-detail-view.js';
import { ok } from '../../src/lib/answer.js';
import { memberParams } from '../../src/lib/fields.js';

const input = { params: memberParams };

export class ReadMember extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/guilds/:guildId/members/:memberId',
      summary: 'One member: game ranks, roles held and expected, and the last ten syncs',
      access: guildRole('viewer'),
      input,
      answers: { 200: memberDetailView },
    });
  }

  override async handle({ guild, params }: Request<typeof input>) {
    const member = await getMember(guild._id, params.memberId);
    return ok(viewMemberDetail(member, await readMemberNow(guild._id, params.memberId)));
  }
}
