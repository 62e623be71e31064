import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { download } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { differenceFilters, exportDifferences } from '../../src/features/sync/plan/difference-list.js';
import { readDifferenceNames } from '../../src/features/sync/plan/difference-names.js';
import { clock } from '../../src/lib/clock.js';

export const ExportDifferences = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/differences/export',
  summary: 'All members that a sync would change and that match a filter, as CSV',
  access: guildRole('viewer'),
  input: { query: z.strictObject(differenceFilters) },
  answers: { 200: 'text/csv' },
  handle: async ({ guild, query }) => {
    const names = await readDifferenceNames(guild._id);
    const day = clock.now().toISOString().slice(0, 10);
    return download(
      exportDifferences(guild._id, query, names),
      'text/csv; charset=utf-8',
      `differences-${guild._id}-${day}.csv`,
    );
  },
});
