import { z } from 'zod';
import { platformAdmin } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { adminGuildView, viewAdminGuild } from '../../src/features/admin/admin-guild-view.js';
import { suspend, suspensionReason } from '../../src/features/admin/guild-suspension.js';
import { countLinkedMembers } from '../../src/features/members/linked-counts.js';

export const SuspendGuild = defineRoute({
  endpoint: 'POST /api/admin/guilds/:guildId/suspend',
  summary: 'Suspend a guild: nothing is done in it until it is restored; its people see the reason',
  access: platformAdmin,
  input: { body: z.strictObject({ reason: suspensionReason }) },
  answers: { 200: adminGuildView },
  refusals: ['guild_not_found', 'already_suspended'],
  handle: async ({ actor, params: { guildId }, body: { reason } }) =>
    ok(viewAdminGuild(await suspend(guildId, reason, actor), await countLinkedMembers(guildId), actor.name)),
});
