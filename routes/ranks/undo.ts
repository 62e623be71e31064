import { guildRole } from '../../src/edges/http/access.js';
import { accepted, ok } from '../../src/edges/http/answer.js';
import { doorOf, rankRefusals } from '../../src/edges/http/rank-input.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { undoRank } from '../../src/features/ranking/rank-service.js';
import { rankChangeView, viewRankChange } from '../../src/features/ranking/rank-view.js';

export const UndoRank = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/groups/:groupId/ranks/:changeId/undo',
  summary: 'Take a change of a rank back within a day, if the rank is still the one that it gave',
  access: guildRole('viewer'),
  lane: 'single',
  repeatable: true,
  answers: { 200: rankChangeView, 202: rankChangeView },
  refusals: [...rankRefusals, 'rank_not_undoable'],
  handle: async ({ guild, actor, params: { groupId, changeId } }) => {
    const { change } = await undoRank(guild, actor, { groupId, changeId, door: doorOf(actor) });
    return (change.state === 'unknown' ? accepted : ok)(viewRankChange(change));
  },
});
