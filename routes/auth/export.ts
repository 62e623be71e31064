import { person } from '../../src/edges/http/access.js';
import { download } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { exportMe } from '../../src/features/privacy/person-export.js';
import { personExportView } from '../../src/features/privacy/person-export-view.js';

export const ExportMe = defineRoute({
  endpoint: 'GET /api/auth/me/export',
  summary: 'Everything stored about the caller, as one JSON file',
  access: person,
  answers: { 200: personExportView },
  handle: async ({ actor }) =>
    download(await exportMe(actor), 'application/json; charset=utf-8', `rolelink-${actor.id}.json`),
});
