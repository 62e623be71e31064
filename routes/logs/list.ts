import { inOrder, logFilters, notInOrder } from '../../src/core/audit/audit-filter.js';
import { listEntries } from '../../src/core/audit/audit-list.js';
import { entryView, viewEntry } from '../../src/core/audit/audit-view.js';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { ok } from '../../src/lib/answer.js';
import { guildParams, listOf, listQuery } from '../../src/lib/fields.js';

const input = { params: guildParams, query: listQuery.extend(logFilters).refine(inOrder, notInOrder) };

export class ListLogs extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/guilds/:guildId/logs',
      summary: 'The log of all changes in the guild, newest first, as far back as its plan keeps it',
      access: guildRole('viewer'),
      input,
      answers: { 200: listOf(entryView) },
    });
  }

  override async handle({ guild, query: { limit, cursor, ...filter } }: Request<typeof input>) {
    const { data, nextCursor } = await listEntries(guild, filter, { limit, cursor });
    return ok({ data: data.map(viewEntry), nextCursor });
  }
}
