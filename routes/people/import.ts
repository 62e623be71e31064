import { guildRole } from '../../src/edges/http/access.js';
import { accepted, ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { proposeImport } from '../../src/features/people-import/people-import-review.js';
import { detailsOf, startImport } from '../../src/features/people-import/people-import-service.js';
import {
  peopleImportView,
  proposedImportView,
  viewPeopleImport,
  viewProposedImport,
} from '../../src/features/people-import/people-import-view.js';
import { peopleImportBody } from '../../src/features/people-import/people-list.js';

export const ImportPeople = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/people/import',
  summary: 'Import which Roblox account people have, from a list or from another bot, on the word of this server',
  lane: 'bulk',
  access: guildRole('admin'),
  yaml: true,
  input: { body: peopleImportBody },
  repeatable: true,
  answers: { 200: proposedImportView, 202: peopleImportView },
  refusals: ['import_running', 'import_source_off', 'version_mismatch'],
  handle: async ({ guild, actor, body }) => {
    if (body.dryRun) return ok(viewProposedImport(await proposeImport(guild, actor, body)));
    const started = await startImport(guild, actor, body);
    return accepted(viewPeopleImport(await detailsOf(started)), `/api/guilds/${guild._id}/people/import`);
  },
});
