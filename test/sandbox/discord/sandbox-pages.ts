import Router from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import { controlApi } from '../kit/control-api.js';
import { html } from '../kit/html.js';
import { htmlPage } from '../kit/html-page.js';
import { alert } from '../kit/page-form.js';
import { consentPage } from './consent-page.js';
import { controlPage } from './control-page.js';
import { controlVerbs, describeState } from './control-verbs.js';
import type { DiscordSandbox } from './discord-sandbox.js';
import { personPage } from './person-page.js';
import type { SandboxCore } from './sandbox-core.js';

/** The sandbox's routes in addition to the API: the OAuth page, the control API, and pages to click through. */
export function sandboxPages(core: SandboxCore, sandbox: DiscordSandbox): ReturnType<Koa['callback']> {
  const router = new Router();
  consentPage(router, core);
  controlApi(router, sandbox, controlVerbs, () => describeState(sandbox, core));
  controlPage(router, core);
  personPage(router, core);
  router.get('/attachments/:id/:filename', (ctx) => {
    const upload = core.state.uploads.get(ctx.params.id ?? '');
    if (upload !== undefined) ctx.body = upload.content;
  });
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
    ctx.body = htmlPage('That did not work', html`${alert(String(error))}`);
  }
}
