import { open } from '../../src/edges/http/access.js';
import { docsPage } from '../../src/edges/http/docs-page.js';
import { describeApi } from '../../src/edges/http/openapi.js';
import { Route } from '../../src/edges/http/route.js';
import { html } from '../../src/lib/answer.js';

export class Docs extends Route {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /docs',
      summary: 'This interface, readable',
      access: open,
      answers: { 200: 'text/html' },
      page: true,
    });
  }

  override handle() {
    return html(docsPage(describeApi(this.container.stores.get('routes').inMountingOrder())));
  }
}
