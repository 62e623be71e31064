import { open } from '../../src/edges/http/access.js';
import { Route } from '../../src/edges/http/route.js';
import { seeOther } from '../../src/lib/answer.js';

export class Root extends Route {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /',
      summary: 'Leads to the description of this interface',
      access: open,
      answers: { 303: null },
      page: true,
    });
  }

  override handle() {
    return seeOther('/docs');
  }
}
