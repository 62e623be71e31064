import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { ok } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { latestImport } from '../../src/features/people-import/people-import-service.js';
import { peopleImportView, viewPeopleImport } from '../../src/features/people-import/people-import-view.js';

export const ReadPeopleImport = defineRoute({
  endpoint: 'GET /api/guilds/:guildId/people/import',
  summary:
    'The import of people that began last, or whose undo did, with its progress and the pairs that were not imported',
  access: guildRole('admin'),
  answers: { 200: z.strictObject({ import: peopleImportView.nullable() }) },
  handle: async ({ guild }) => {
    const latest = await latestImport(guild._id);
    return ok({ import: latest && viewPeopleImport(latest) });
  },
});
