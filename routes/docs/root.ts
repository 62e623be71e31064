import { open } from '../../src/http/access.js';
import { seeOther } from '../../src/http/answer.js';
import { Route } from '../../src/http/route.js';

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
