import { guildRole } from '../../src/edges/http/access.js';
import { accepted, ok } from '../../src/edges/http/answer.js';
import { doorOf, rankBody, rankRefusals, wishOf } from '../../src/edges/http/rank-input.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { changeRank } from '../../src/features/ranking/rank-service.js';
import { rankChangeView, viewRankChange } from '../../src/features/ranking/rank-view.js';

export const ChangeRank = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/groups/:groupId/ranks',
  summary: 'Change the rank of a person in a Roblox group; 202 while Roblox has not told the result',
  access: guildRole('viewer', { byRanker: true }),
  lane: 'single',
  input: { body: rankBody },
  repeatable: true,
  answers: { 200: rankChangeView, 202: rankChangeView },
  refusals: rankRefusals,
  handle: async ({ guild, actor, params: { groupId }, body: wish }) => {
    const { change } = await changeRank(
      guild,
      actor,
      wishOf(wish, { groupId, door: doorOf(actor), reason: wish.reason }),
    );
    return (change.state === 'unknown' ? accepted : ok)(viewRankChange(change));
  },
});
