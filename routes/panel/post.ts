import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { created } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { postPanelInto } from '../../src/edges/interactions/replies/reply-panel.js';
import { panelView, viewPanel } from '../../src/features/setup/panel-service.js';
import { snowflake } from '../../src/lib/ids.js';

export const PostPanel = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/panel',
  summary: 'Post a message with the Verify button into a text channel',
  access: guildRole('manager'),
  input: { body: z.strictObject({ channelId: snowflake }) },
  repeatable: true,
  answers: { 201: panelView },
  handle: async ({ guild, actor, body }) => {
    const panel = await postPanelInto(guild, actor, body.channelId);
    return created(viewPanel(panel), `/api/guilds/${guild._id}/panel`);
  },
});
