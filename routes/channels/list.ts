import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { listOf, listQuery } from '../../src/edges/http/list.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { channelView, listChannels } from '../../src/features/log-channel/channel-list.js';

export const ListChannels = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/channels',
  summary: 'The channels of a guild in Discord’s order, and whether the bot can post into each',
  // It names channels that not everybody in the server sees.
  access: guildRole('admin'),
  input: { query: listQuery },
  answers: { 200: listOf(channelView) },
  handle: async ({ guild, query }) => ok(await listChannels(guild._id, query)),
});
