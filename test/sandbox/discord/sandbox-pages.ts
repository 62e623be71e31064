import Router from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import { html } from '../kit/html.js';
import { htmlPage } from '../kit/html-page.js';
import { consentPage } from './consent-page.js';
import { controlApi } from './control-api.js';
import { controlPage } from './control-page.js';
import { personPage } from './person-page.js';
import type { SandboxCore } from './sandbox-core.js';

/** What the sandbox serves beside the API: the OAuth page, the control API, and pages to click through. */
export function sandboxPages(core: SandboxCore): ReturnType<Koa['callback']> {
  const router = new Router();
  consentPage(router, core);
  controlApi(router, core);
  controlPage(router, core);
  personPage(router, core);
  const app = new Koa();
  app.use(showErrors);
  app.use(router.routes());
  return app.callback();
}

/** Most likely a link to something that is gone: says what. */
async function showErrors(ctx: Context, next: Next): Promise<void> {
  try {
    await next();
  } catch (error) {
    ctx.status = 400;
    ctx.body = htmlPage('That did not work', html`<p role="alert">${String(error)}</p>`);
  }
}
