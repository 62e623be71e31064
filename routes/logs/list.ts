import { inOrder, logFilters, notInOrder } from '../../src/core/audit/audit-filter.js';
import { listEntries } from '../../src/core/audit/audit-list.js';
import { entryView, viewEntry } from '../../src/core/audit/audit-view.js';
import { actorsOpenTo, pseudonymsOf } from '../../src/core/audit/sealed-actors.js';
import { guildRole } from '../../src/edges/http/access.js';
import { listOf, listQuery, okPage } from '../../src/edges/http/list.js';
import { defineRoute } from '../../src/edges/http/route.js';

export const ListLogs = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/logs',
  summary: 'The log of all changes in the guild, newest first, as far back as its plan keeps it',
  access: guildRole('viewer'),
  input: { query: listQuery.extend(logFilters).refine(inOrder, notInOrder) },
  answers: { 200: listOf(entryView) },
  handle: async ({ actor, guild, query: { limit, cursor, ...wish } }) => {
    const opened = await actorsOpenTo(actor, guild._id);
    const filter = { ...wish, alsoActedAs: pseudonymsOf(wish.actorId ?? wish.involves ?? '', opened) };
    return okPage(await listEntries(guild, filter, { limit, cursor }), (entry) => viewEntry(entry, opened));
  },
});
