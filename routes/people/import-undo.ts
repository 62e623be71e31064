import { guildRole } from '../../src/edges/http/access.js';
import { accepted } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { detailsOf, undoPeopleImport } from '../../src/features/people-import/people-import-service.js';
import { peopleImportView, viewPeopleImport } from '../../src/features/people-import/people-import-view.js';

export const UndoPeopleImport = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/people/import/:importId/undo',
  summary: 'Take back, within a day, the accounts that an import gave and that are still as it gave them',
  access: guildRole('admin'),
  answers: { 202: peopleImportView },
  refusals: ['import_not_found', 'import_running', 'import_not_undoable'],
  handle: async ({ guild, actor, params }) => {
    const undoing = await undoPeopleImport(guild, actor, params.importId);
    return accepted(viewPeopleImport(await detailsOf(undoing)), `/api/guilds/${guild._id}/people/import`);
  },
});
