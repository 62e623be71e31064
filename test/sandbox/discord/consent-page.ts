import type Router from '@koa/router';
import { koaBody } from 'koa-body';
import { z } from 'zod';
import { type Html, html } from '../kit/html.js';
import { htmlPage } from '../kit/html-page.js';
import { option, seeOther } from '../kit/page-form.js';
import type { DiscordState } from './discord-state.js';
import type { AuthorizeRequest } from './oauth-desk.js';
import type { SandboxCore } from './sandbox-core.js';

const path = '/oauth2/authorize';
/** Remembers the person, so that `prompt=none` can pass them through. */
const personCookie = 'sandbox_person';

const decisionForm = z.object({
  userId: z.string(),
  decision: z.enum(['approve', 'deny']),
  guildId: z.string().optional(),
});

/** Discord's authorization page: a person picks who they are and approves or denies what the application asks. */
export function consentPage(router: Router, { oauth, state }: SandboxCore): void {
  router.get(path, (ctx) => {
    const request = oauth.parseRequest(ctx.URL.searchParams);
    const person = ctx.cookies.get(personCookie) ?? '';
    if (request.prompt === 'none' && state.users.has(person) && oauth.hasConsent(request, person)) {
      ctx.redirect(oauth.decide(request, person, true) ?? '/');
    } else {
      ctx.body = renderConsent(request, state, person, ctx.search);
    }
  });

  // Who opens this is already chosen on the authorization page that they are sent to.
  router.get('/oauth2/as/:userId', (ctx) => {
    ctx.cookies.set(personCookie, state.user(String(ctx.params.userId)).id, { path, sameSite: 'lax' });
    seeOther(ctx, String(ctx.query.then ?? '/'));
  });

  router.post(path, koaBody(), (ctx) => {
    const request = oauth.parseRequest(ctx.URL.searchParams);
    const { userId, decision, guildId } = decisionForm.parse(ctx.request.body);
    const asked = guildId === undefined ? request : { ...request, guild_id: guildId };
    const back = oauth.decide(asked, state.user(userId).id, decision === 'approve');
    ctx.cookies.set(personCookie, userId, { path, sameSite: 'lax' });
    seeOther(ctx, back ?? '/');
  });
}

function renderConsent(request: AuthorizeRequest, state: DiscordState, person: string, search: string): string {
  const people = [...state.users.values()].filter(({ bot }) => !bot);
  const guilds = [...state.guilds.values()].filter((guild) => !state.hasBot(guild));
  const back = request.redirect_uri ? `You will be sent back to ${request.redirect_uri}.` : '';
  return htmlPage(
    'Sign in with Discord (sandbox)',
    html`<p>${state.application.name} asks for: ${request.scope.join(', ')}. ${back}</p>
    <form method="post" action="${path}${search}">
      <label for="user">Who are you?</label>
      <select id="user" name="userId">${people.map(({ id, username }) => option(id, username, id === person))}</select>
      ${request.scope.includes('bot') ? guildField(guilds, request.guild_id) : ''}
      <button name="decision" value="approve">Authorize</button>
      <button name="decision" value="deny">Cancel</button>
    </form>`,
  );
}

function guildField(guilds: readonly { id: string; name: string }[], chosen: string | undefined): Html {
  return html`<label for="guild">Add to server</label>
      <select id="guild" name="guildId">${guilds.map(({ id, name }) => option(id, name, id === chosen))}</select>`;
}
