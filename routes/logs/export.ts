import { z } from 'zod';
import { exportEntries } from '../../src/core/audit/audit-export.js';
import { inOrder, logFilters, notInOrder } from '../../src/core/audit/audit-filter.js';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { download } from '../../src/lib/answer.js';
import { clock } from '../../src/lib/clock.js';
import { guildParams } from '../../src/lib/fields.js';

const input = { params: guildParams, query: z.strictObject(logFilters).refine(inOrder, notInOrder) };

export class ExportLogs extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/guilds/:guildId/logs/export',
      summary: 'All entries of the log that a filter lets through, as CSV',
      access: guildRole('admin'),
      input,
      answers: { 200: 'text/csv' },
    });
  }

  override async handle({ guild, query }: Request<typeof input>) {
    const day = clock.now().toISOString().slice(0, 10);
    return download(await exportEntries(guild, query), 'text/csv; charset=utf-8', `log-${guild._id}-${day}.csv`);
  }
}
