import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { msPerPair } from '../../src/features/people-import/people-import-review.js';
import { cancelImport, problemsOf } from '../../src/features/people-import/people-import-service.js';
import { peopleImportView, viewPeopleImport } from '../../src/features/people-import/people-import-view.js';

export const CancelPeopleImport = defineRoute({
  endpoint: 'DELETE /api/guilds/:guildId/people/import',
  summary: 'Cancel the import of people that is running; accounts that were imported stay',
  access: guildRole('admin'),
  answers: { 200: peopleImportView },
  refusals: ['import_not_found'],
  handle: async ({ guild, actor }) => {
    const ended = await cancelImport(guild, actor);
    return ok(viewPeopleImport(ended, await problemsOf(ended), msPerPair(ended.source)));
  },
});
