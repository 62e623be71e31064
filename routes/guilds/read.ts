import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { guildHealth } from '../../src/features/guild-views/guild-health.js';
import { guildView, viewGuild } from '../../src/features/guild-views/guild-view.js';
import { countLinkedMembers } from '../../src/features/members/linked-counts.js';

export const ReadGuild = defineRoute({
  endpoint: 'GET /api/guilds/:guildId',
  summary: "One guild, with the bot's permissions and the obstacles to syncs",
  access: guildRole('viewer', { whileSuspended: true }),
  answers: { 200: guildView },
  handle: async ({ guild, actor }) => {
    const [linkedMembers, health] = await Promise.all([countLinkedMembers(guild._id), guildHealth(guild)]);
    return ok(viewGuild(guild, actor.role ?? 'viewer', { linkedMembers, health }));
  },
});
