import { open } from '../../src/http/access.js';
import { html } from '../../src/http/answer.js';
import { docsPage } from '../../src/http/docs-page.js';
import { describeApi } from '../../src/http/openapi.js';
import { Route } from '../../src/http/route.js';

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
