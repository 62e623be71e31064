import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { accepted } from '../../src/edges/http/answer.js';
import { gameRefusals } from '../../src/edges/http/refusals.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { postPanelInto } from '../../src/edges/interactions/replies/reply-panel.js';
import { completeSetup } from '../../src/features/setup/setup-completion.js';
import { readSetup } from '../../src/features/setup/setup-service.js';
import { resyncView, viewResync } from '../../src/features/sync/resync/resync-view.js';
import { VersionMismatch } from '../../src/lib/errors.js';

const body = z.strictObject({
  key: z.string().max(100).describe('`key` of the preview that was shown.'),
  mode: z
    .enum(['enforce', 'observe'])
    .default('enforce')
    .describe('`observe`: no member is changed for now. A server that observes goes on observing with either.'),
});

export const ApplySetup = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/setup/apply',
  summary:
    'Write the mappings and settings of the setup, post its panel and start a resync: exactly as shown, or nothing',
  access: guildRole('admin'),
  input: { body },
  repeatable: true,
  answers: {
    202: z.strictObject({
      panel: z.enum(['posted', 'none', 'refused']).describe('refused: the bot may not write into its channel.'),
      mode: z.enum(['enforce', 'observe']).describe('observe: no member is changed until the server goes live.'),
      resync: resyncView,
    }),
  },
  refusals: ['version_mismatch', 'plan_limit_reached', 'role_unmanageable', ...gameRefusals, 'busy'],
  handle: async ({ guild, actor, body: { key, mode }, spend }) => {
    const giveBack = await spend('guild_resync');
    let isNew = false;
    try {
      const completed = await completeSetup(guild, actor, await readSetup(guild), {
        ...{ key, observe: mode === 'observe' },
        post: (channelId, look) => postPanelInto(guild, actor, channelId, look),
      });
      if (completed === null) throw new VersionMismatch();
      isNew = completed.isNew;
      const { panel, job } = completed;
      return accepted(
        { panel, mode: completed.mode, resync: viewResync(job) },
        `/api/guilds/${guild._id}/resync/${job._id}`,
      );
    } finally {
      if (!isNew) await giveBack();
    }
  },
});
