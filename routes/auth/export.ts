import { person } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { exportMe } from '../../src/features/privacy/person-export.js';
import { personExportView } from '../../src/features/privacy/person-export-view.js';
import { download } from '../../src/lib/answer.js';

export class ExportMe extends Route {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/auth/me/export',
      summary: 'All that is stored about the caller, as one JSON file',
      access: person,
      answers: { 200: personExportView },
    });
  }

  override async handle({ actor }: Request) {
    return download(await exportMe(actor), 'application/json; charset=utf-8', `rolelink-${actor.id}.json`);
  }
}
