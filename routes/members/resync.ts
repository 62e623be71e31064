import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { gameRefusals } from '../../src/edges/http/refusals.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { noSuchMember } from '../../src/features/members/member-service.js';
import { syncResultView } from '../../src/features/members/member-view.js';
import { linkAndSync } from '../../src/features/sync/member/linked-sync.js';
import { viewSyncResult } from '../../src/features/sync/member/sync-result-view.js';

export const ResyncMember = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/members/:memberId/resync',
  summary: "Sync one member's roles and nickname now",
  access: guildRole('manager'),
  lane: 'single',
  answers: { 200: syncResultView },
  refusals: ['member_not_found', ...gameRefusals, 'busy'],
  handle: async ({ guild, actor, params }) => {
    const { memberId } = params;
    const cause = { trigger: 'api', actor } as const;
    return ok(viewSyncResult(await linkAndSync(guild, memberId, cause, { ifUnknown: noSuchMember })));
  },
});
