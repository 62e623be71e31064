import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { getMember } from '../../src/features/members/member-service.js';
import { syncResultView } from '../../src/features/members/member-view.js';
import { syncMember } from '../../src/features/sync/member/member-sync.js';
import { ok } from '../../src/lib/answer.js';
import { memberParams } from '../../src/lib/fields.js';
import { inLane } from '../../src/platforms/discord/lane.js';

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
