import { expect } from 'chai';
import { findAccount } from '../../../src/features/accounts/account-service.js';
import { failureWords } from '../../../src/features/verification/failure-words.js';
import { consent, stored } from '../../features/verification/verification-setup.js';
import { api, signIn } from '../../support/api.js';
import { buildPerson } from '../../support/build.js';
import { world } from '../../support/world.js';
import { alertOf, buildVisitor, submitAndFollow, type Visitor, wordsOf } from './verify-pages-setup.js';

/** Follows the page's link to Roblox, decides there, and is sent back. */
async function goToRoblox(visitor: Visitor, approve = true): Promise<string> {
  const shown = await visitor.me.get(visitor.page);
  const link = /<a class="button" href="([^"]+)">Continue with Roblox/.exec(shown.body)?.[1] ?? '';
  const session = { ...visitor.session, authorizeUrl: link.replaceAll('&amp;', '&') };
  const { back } = await consent({ session, person: visitor.person }, approve);
  return back.pathname + back.search;
}

describe('The page /verify/callback', () => {
  it('/verify/callback links the account that consented on Roblox, and leads back to the page', async () => {
    const visitor = await buildVisitor({ method: 'oauth' });
    const { me, page, person } = visitor;
    const back = await goToRoblox(visitor);
    expect(back).to.match(/^\/verify\/callback\?/);
    const returned = await me.get(back);
    expect(returned.status).to.equal(303);
    expect(returned.headers.get('location')).to.equal(page);
    const shown = await me.get(page);
    const said = `The Roblox account ${person.gameUsername} is now linked to the Discord account ${person.username}`;
    expect(wordsOf(shown.body)).to.include(said);
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: person.gameUserId, method: 'oauth' });

    const reloaded = await me.get(back);
    expect(reloaded.status).to.equal(303);
    expect(await stored(visitor.token)).to.include({ state: 'completed', attempts: 1 });
  });

  it('/verify/callback reports that the person declined, and offers another try', async () => {
    const visitor = await buildVisitor({ method: 'oauth' });
    const { me, page, token } = visitor;
    expect((await me.get(await goToRoblox(visitor, false))).status).to.equal(303);
    expect(alertOf((await me.get(page)).body)).to.equal(failureWords.oauth_denied);
    expect(await stored(token)).to.include({ state: 'failed', reason: 'oauth_denied', attempts: 1 });
    await submitAndFollow(visitor, { action: 'retry' });
    await me.get(await goToRoblox(visitor));
    expect(await stored(token)).to.include({ state: 'completed', attempts: 2 });
  });

  it('/verify/callback accepts a code once', async () => {
    const visitor = await buildVisitor({ method: 'oauth' });
    const { me, page } = visitor;
    const used = new URL(`http://localhost${await goToRoblox(visitor)}`);
    await me.get(used.pathname + used.search);
    const second = await buildVisitor({ method: 'oauth' });
    const fresh = new URL(`http://localhost${await goToRoblox(second)}`);
    fresh.searchParams.set('code', used.searchParams.get('code') ?? '');
    await second.me.get(fresh.pathname + fresh.search);
    expect(alertOf((await second.me.get(second.page)).body)).to.equal(failureWords.oauth_invalid);
    expect(await findAccount(second.person.chatUserId)).to.equal(null);
    expect((await me.get(page)).status).to.equal(200);
  });

  it('/verify/callback serves only the person of the session, signed in', async () => {
    const visitor = await buildVisitor({ method: 'oauth' });
    const back = await goToRoblox(visitor);
    const anonymous = await api().get(back);
    expect(anonymous.headers.get('location')).to.equal(`/api/auth/login?returnTo=${encodeURIComponent(back)}`);
    const stranger = await buildPerson();
    const them = await signIn(stranger.chatUserId);
    const refused = await them.get(back);
    expect(refused.status).to.equal(404);
    expect(refused.headers.get('content-type')).to.match(/^text\/html/);
    expect(await findAccount(stranger.chatUserId)).to.equal(null);
    expect(await stored(visitor.token)).to.include({ state: 'pending', attempts: 0 });
    await visitor.me.get(back);
    expect(await stored(visitor.token)).to.include({ state: 'completed' });
  });

  it('/verify/callback finds no session without a state or with an unknown one', async () => {
    const me = await signIn((await buildPerson()).chatUserId);
    for (const query of ['', '?code=x', '?code=x&state=', '?code=x&state=unknown', '?error=access_denied']) {
      expect((await me.get(`/verify/callback${query}`)).status, query).to.equal(404);
    }
  });

  it('/verify/callback treats an answer with neither code nor error as invalid', async () => {
    const visitor = await buildVisitor({ method: 'oauth' });
    const back = new URL(`${(await world()).url}${await goToRoblox(visitor)}`);
    await visitor.me.get(`/verify/callback?state=${back.searchParams.get('state')}`);
    expect(await stored(visitor.token)).to.include({ state: 'failed', reason: 'oauth_invalid' });
  });
});
