import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { offerQuery, personOf, rankReadRefusals } from '../../src/edges/http/rank-input.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { offerRanks } from '../../src/features/ranking/rank-offer.js';
import { rankOfferView, viewRankOffer } from '../../src/features/ranking/rank-view.js';

export const OfferRanks = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/groups/:groupId/ranks/offer',
  summary: "A person's roles in a Roblox group, and the roles that the caller may give them",
  access: guildRole('viewer'),
  input: { query: offerQuery },
  answers: { 200: rankOfferView },
  refusals: rankReadRefusals,
  handle: async ({ guild, actor, params: { groupId }, query }) =>
    ok(viewRankOffer(await offerRanks(guild, actor, { groupId, person: personOf(query) }))),
});
