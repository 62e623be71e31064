import { z } from 'zod';
import { exportEntries } from '../../src/core/audit/audit-export.js';
import { inOrder, logFilters, notInOrder } from '../../src/core/audit/audit-filter.js';
import { actorsOpenTo, pseudonymsOf } from '../../src/core/audit/sealed-actors.js';
import { guildRole } from '../../src/edges/http/access.js';
import { download } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { clock } from '../../src/lib/clock.js';

export const ExportLogs = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/logs/export',
  summary: 'All entries of the log that a filter lets through, as CSV',
  access: guildRole('admin'),
  input: { query: z.strictObject(logFilters).refine(inOrder, notInOrder) },
  answers: { 200: 'text/csv' },
  handle: async ({ actor, guild, query }) => {
    const opened = await actorsOpenTo(actor, guild._id);
    const filter = { ...query, alsoActedAs: pseudonymsOf(query.actorId ?? query.involves ?? '', opened) };
    const day = clock.now().toISOString().slice(0, 10);
    return download(
      await exportEntries(guild, filter, opened),
      'text/csv; charset=utf-8',
      `log-${guild._id}-${day}.csv`,
    );
  },
});
