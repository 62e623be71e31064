import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { cancelImport, detailsOf } from '../../src/features/people-import/people-import-service.js';
import { peopleImportView, viewPeopleImport } from '../../src/features/people-import/people-import-view.js';

export const CancelPeopleImport = defineRoute({
  endpoint: 'DELETE /api/guilds/:guildId/people/import',
  summary: 'Cancel the import of people that is running; accounts that were imported stay',
  access: guildRole('admin'),
  answers: { 200: peopleImportView },
  refusals: ['import_not_found'],
  handle: async ({ guild, actor }) => ok(viewPeopleImport(await detailsOf(await cancelImport(guild, actor)))),
});
