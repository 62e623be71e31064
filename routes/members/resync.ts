import { inLane } from '../../src/discord/lane.js';
import { guildRole } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { memberParams } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';
import { getMember } from '../../src/members/member-service.js';
import { syncResultView } from '../../src/members/member-view.js';
import { syncMember } from '../../src/sync/member-sync.js';

const input = { params: memberParams };

export class ResyncMember extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'POST /api/guilds/:guildId/members/:memberId/resync',
      summary: 'Bring one member’s roles and nickname in step now',
      access: guildRole('manager'),
      input,
      answers: { 200: syncResultView },
    });
  }

  override async handle({ guild, actor, params }: Request<typeof input>) {
    await getMember(guild._id, params.memberId);
    const result = await inLane('single', () => syncMember(guild, params.memberId, { trigger: 'api', actor }));
    return ok({ ...result, nickname: result.nickname ?? null });
  }
}
