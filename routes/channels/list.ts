import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { channelView, listChannels } from '../../src/features/log-channel/channel-list.js';

export const ListChannels = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/channels',
  summary: "The channels of a guild in Discord's order, and whether the bot can post into each",
  // The list contains channels hidden from some members.
  access: guildRole('admin'),
  answers: { 200: z.strictObject({ data: z.array(channelView) }) },
  handle: async ({ guild }) => ok({ data: await listChannels(guild._id) }),
});
