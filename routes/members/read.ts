import { guildRole } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { memberParams } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';
import { getMember } from '../../src/members/member-service.js';
import { memberDetailView, viewMemberDetail } from '../../src/members/member-view.js';
import { readMemberNow } from '../../src/sync/member-detail.js';

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
