import { z } from 'zod';
import { exportEntries } from '../../src/audit/audit-export.js';
import { inOrder, logFilters, notInOrder } from '../../src/audit/audit-filter.js';
import { guildRole } from '../../src/http/access.js';
import { download } from '../../src/http/answer.js';
import { guildParams } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';

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
    const day = new Date().toISOString().slice(0, 10);
    return download(await exportEntries(guild, query), 'text/csv; charset=utf-8', `log-${guild._id}-${day}.csv`);
  }
}
