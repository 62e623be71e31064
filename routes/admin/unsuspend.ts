import { z } from 'zod';
import { platformAdmin } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { adminGuildView, viewAdminGuild } from '../../src/features/admin/admin-guild-view.js';
import { suspensionReason, unsuspend } from '../../src/features/admin/guild-suspension.js';
import { countLinkedMembers } from '../../src/features/members/linked-counts.js';

export const UnsuspendGuild = defineRoute({
  endpoint: 'POST /api/admin/guilds/:guildId/unsuspend',
  summary: 'Restore a suspended guild; its members then catch up on missed changes',
  access: platformAdmin,
  input: { body: z.strictObject({ reason: suspensionReason.nullable().default(null) }) },
  answers: { 200: adminGuildView },
  refusals: ['guild_not_found', 'not_suspended'],
  handle: async ({ actor, params: { guildId }, body: { reason } }) =>
    ok(viewAdminGuild(await unsuspend(guildId, reason, actor), await countLinkedMembers(guildId))),
});
