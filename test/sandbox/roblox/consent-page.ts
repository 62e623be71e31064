import type Router from '@koa/router';
import { koaBody } from 'koa-body';
import { z } from 'zod';
import { html } from '../kit/html.js';
import { htmlPage } from '../kit/html-page.js';
import { alert } from '../kit/page-form.js';
import {
  type AuthorizationRequest,
  decide,
  type OAuthApp,
  readAuthorizationRequest,
  redirectWith,
  refusalOf,
  UntrustedRequest,
} from './oauth-consent.js';
import type { OAuthTokens } from './oauth-tokens.js';
import type { RobloxState } from './roblox-state.js';

/** Where the consent page is; like Roblox's own it is another address than the authorization endpoint. */
export const consentPath = '/sandbox/authorize';

const decisionForm = z.object({ username: z.string(), decision: z.enum(['approve', 'deny']) });

/** How many names the page suggests; any other can be typed. */
const suggestions = 200;

/** The page where a person picks who they are on Roblox and approves or denies what the application asks. */
export function consentPage(router: Router, state: RobloxState, app: OAuthApp, tokens: OAuthTokens): void {
  router.get(consentPath, (ctx) => {
    try {
      const request = readAuthorizationRequest(ctx.URL.searchParams, app);
      const refusal = refusalOf(request);
      if (refusal) ctx.redirect(redirectWith(request, refusal));
      else ctx.body = renderConsent(request, state, ctx.search);
    } catch (error) {
      if (!(error instanceof UntrustedRequest)) throw error;
      ctx.status = 400;
      ctx.body = htmlPage('Something is wrong with this request', html`${alert(error.message)}`);
    }
  });

  router.post(consentPath, koaBody(), (ctx) => {
    const request = readAuthorizationRequest(ctx.URL.searchParams, app);
    const form = decisionForm.parse(ctx.request.body);
    const approve = form.decision === 'approve';
    const user = state.users.findByName(form.username);
    if (user || !approve) {
      ctx.redirect(decide(request, user?.id ?? '', approve, tokens));
      return;
    }
    ctx.status = 422;
    ctx.body = renderConsent(request, state, ctx.search, `There is no Roblox user called ${form.username}.`);
  });
}

function renderConsent(request: AuthorizationRequest, state: RobloxState, search: string, problem?: string): string {
  return htmlPage(
    'Sign in with Roblox (sandbox)',
    html`<p>An application asks to see: ${request.scope}. You will be sent back to ${request.redirect_uri}.</p>
    ${alert(problem)}
    <form method="post" action="${consentPath}${search}">
      <label for="username">Roblox username</label>
      <input id="username" name="username" list="usernames" autocomplete="off" autofocus>
      <datalist id="usernames">${state.users.list(suggestions).map((user) => html`<option value="${user.username}">`)}</datalist>
      <button name="decision" value="approve">Approve</button>
      <button name="decision" value="deny">Deny</button>
    </form>`,
  );
}
