import { guildRole } from '../../src/edges/http/access.js';
import { listOf, listQuery, okPage } from '../../src/edges/http/list.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { differenceFilters, listDifferences } from '../../src/features/sync/plan/difference-list.js';
import { readDifferenceNames } from '../../src/features/sync/plan/difference-names.js';
import { differenceView, viewDifference } from '../../src/features/sync/plan/difference-view.js';

export const ListDifferences = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/differences',
  summary: 'The members that a sync would change in an observing guild, the newest difference first',
  access: guildRole('viewer'),
  input: { query: listQuery.extend(differenceFilters) },
  answers: { 200: listOf(differenceView) },
  handle: async ({ guild, query }) => {
    const [page, names] = await Promise.all([listDifferences(guild._id, query), readDifferenceNames(guild._id)]);
    return okPage(page, (different) => viewDifference(different, names));
  },
});
