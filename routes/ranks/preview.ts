import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import {
  personOf,
  previewBody,
  rankChoiceRefusals,
  rankReadRefusals,
  targetOf,
} from '../../src/edges/http/rank-input.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { previewRank } from '../../src/features/ranking/rank-preview.js';
import { rankEffectsView, viewRankEffects } from '../../src/features/ranking/rank-view.js';

export const PreviewRank = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/groups/:groupId/ranks/preview',
  summary: 'The roles that a rank gives and takes on Roblox and Discord, without a change',
  access: guildRole('viewer'),
  input: { body: previewBody },
  answers: { 200: rankEffectsView },
  refusals: [...rankReadRefusals, ...rankChoiceRefusals],
  handle: async ({ guild, actor, params: { groupId }, body }) => {
    const wish = { groupId, person: personOf(body), target: targetOf(body) };
    return ok(viewRankEffects(await previewRank(guild, actor, wish)));
  },
});
