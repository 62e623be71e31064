import { expect } from 'chai';
import { newName, RobloxFixture } from './roblox-fixture.js';

const redirectUri = 'http://localhost:3000/verify/callback';

describe('Roblox sandbox: authorization page', () => {
  const roblox = new RobloxFixture({ redirectUris: [redirectUri] });

  function queryOf(changes: Record<string, string> = {}): URLSearchParams {
    const { clientId } = roblox.sandbox.oauth;
    const query = {
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid',
      state: 's1',
    };
    return new URLSearchParams({ ...query, ...changes });
  }

  /** Where the authorization endpoint sends the browser. */
  async function openPage(changes: Record<string, string> = {}): Promise<string> {
    const answer = await roblox.get(`/apis/oauth/v1/authorize?${queryOf(changes)}`);
    expect(answer.status).to.equal(302);
    return answer.headers.get('location') ?? '';
  }

  it('The sandbox’s authorization page asks the person in a form, and sends them back with a working code', async () => {
    const user = roblox.sandbox.addUser({ username: newName() });
    const page = await openPage();
    const shown = await roblox.get(page);
    expect(shown.status).to.equal(200);
    expect(shown.body).to.include('<label for="username">').and.to.include(`<option value="${user.username}">`);

    const approved = await roblox.postForm(page, { username: user.username.toLowerCase(), decision: 'approve' });
    expect(approved.status).to.equal(302);
    const back = new URL(approved.headers.get('location') ?? '');
    expect(back.href.startsWith(`${redirectUri}?`)).to.equal(true);
    expect(back.searchParams.get('state')).to.equal('s1');
    const { clientId, clientSecret } = roblox.sandbox.oauth;
    const tokens = await roblox.postForm('/apis/oauth/v1/token', {
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      client_id: clientId,
      client_secret: clientSecret,
    });
    expect(tokens.status).to.equal(200);
  });

  it('The sandbox’s authorization page sends the person back with access_denied when they deny', async () => {
    const denied = await roblox.postForm(await openPage(), { username: '', decision: 'deny' });
    const back = new URL(denied.headers.get('location') ?? '');
    expect(back.searchParams.get('error')).to.equal('access_denied');
    expect(back.searchParams.get('state')).to.equal('s1');
  });

  it('The sandbox’s authorization page asks again after an unknown name, and escapes it', async () => {
    const answer = await roblox.postForm(await openPage(), { username: '<b>', decision: 'approve' });
    expect(answer.status).to.equal(422);
    expect(answer.body).to.include('role="alert"').and.to.include('&#60;b&#62;').and.not.to.include('<b>');
  });

  it('The sandbox’s authorization page answers response type none without a code', async () => {
    const user = roblox.sandbox.addUser({ username: newName() });
    const url = `${roblox.sandbox.apisUrl}/oauth/v1/authorize?${queryOf({ response_type: 'none' })}`;
    expect(roblox.sandbox.authorize(url, user.id)).to.equal(`${redirectUri}?state=s1`);
  });

  const refusals: [changes: Record<string, string>, error: string][] = [
    [{ scope: 'openid everything' }, 'invalid_scope'],
    [{ scope: 'profile' }, 'invalid_scope'],
  ];
  for (const [changes, error] of refusals) {
    it(`The authorization page sends ${JSON.stringify(changes)} back with ${error} before any question`, async () => {
      const answer = await roblox.get(await openPage(changes));
      expect(answer.status).to.equal(302);
      expect(new URL(answer.headers.get('location') ?? '').searchParams.get('error')).to.equal(error);
    });
  }
});

describe('Roblox sandbox: authorization page, bad requests', () => {
  const roblox = new RobloxFixture({ checked: false, redirectUris: [redirectUri] });

  const authorizeUrl = (changes: Record<string, string>) => {
    const { clientId } = roblox.sandbox.oauth;
    const query = { client_id: clientId, redirect_uri: redirectUri, response_type: 'code', scope: 'openid' };
    return `${roblox.sandbox.apisUrl}/oauth/v1/authorize?${new URLSearchParams({ ...query, ...changes })}`;
  };

  for (const changes of [{ client_id: '1' }, { redirect_uri: 'https://elsewhere.example/' }, { redirect_uri: 'x' }]) {
    it(`The authorization page does not redirect for ${JSON.stringify(changes)}`, async () => {
      const url = authorizeUrl(changes);
      expect(() => roblox.sandbox.authorize(url, '1')).to.throw();
      const page = (await roblox.get(url)).headers.get('location') ?? '';
      const shown = await roblox.get(page);
      expect(shown.status).to.equal(400);
      expect(shown.body).to.include('role="alert"');
    });
  }

  const refusals: [changes: Record<string, string>, error: string][] = [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ code_challenge: 'short', code_challenge_method: 'S256' }, 'invalid_request'],
    [{ code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge: 'a'.repeat(43) }, 'invalid_request'],
  ];
  for (const [changes, error] of refusals) {
    it(`Sandbox OAuth answers ${JSON.stringify(changes)} with ${error}`, () => {
      const user = roblox.sandbox.addUser({ username: newName() });
      const back = new URL(roblox.sandbox.authorize(authorizeUrl(changes), user.id));
      expect(back.searchParams.get('error')).to.equal(error);
    });
  }
});
