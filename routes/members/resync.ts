import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { getMember } from '../../src/features/members/member-service.js';
import { syncResultView } from '../../src/features/members/member-view.js';
import { syncMember } from '../../src/features/sync/member/member-sync.js';
import { inLane } from '../../src/platforms/discord/lane.js';

export const ResyncMember = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/members/:memberId/resync',
  summary: 'Bring one member’s roles and nickname in step now',
  access: guildRole('manager'),
  answers: { 200: syncResultView },
  refusals: ['member_not_found', 'game_platform_closed', 'game_platform_unavailable', 'busy'],
  handle: async ({ guild, actor, params }) => {
    await getMember(guild._id, params.memberId);
    const result = await inLane('single', () => syncMember(guild, params.memberId, { trigger: 'api', actor }));
    return ok({ ...result, nickname: result.nickname ?? null });
  },
});
