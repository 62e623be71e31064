import { expect } from 'chai';
import * as client from 'openid-client';
import { newName, RobloxFixture } from './roblox-fixture.js';

const redirectUri = 'http://localhost:3000/verify/callback';

/** The contract's code grant knows no `redirect_uri`, which openid-client always sends (RFC 6749 §4.1.3). */
const withoutRedirectUri: client.CustomFetch = (url, { body, ...init }) => {
  if (body instanceof URLSearchParams) body.delete('redirect_uri');
  return fetch(url, body === undefined || body === null ? init : { ...init, body });
};

describe('Roblox sandbox: OAuth as a standard client sees it', () => {
  const roblox = new RobloxFixture();

  async function discover(authentication: client.ClientAuth): Promise<client.Configuration> {
    const { apisUrl, oauth } = roblox.sandbox;
    const config = await client.discovery(new URL(`${apisUrl}/oauth/`), oauth.clientId, undefined, authentication, {
      execute: [client.allowInsecureRequests],
      [client.customFetch]: withoutRedirectUri,
    });
    client.enableNonRepudiationChecks(config);
    return config;
  }

  const authentications: [name: string, authentication: () => client.ClientAuth][] = [
    ['client_secret_basic', () => client.ClientSecretBasic(roblox.sandbox.oauth.clientSecret)],
    ['client_secret_post', () => client.ClientSecretPost(roblox.sandbox.oauth.clientSecret)],
  ];
  for (const [name, authentication] of authentications) {
    it(`Sandbox OAuth takes a person through discovery, consent, code, signed id token, user info and refresh (${name})`, async () => {
      const user = roblox.sandbox.addUser({ username: newName(), displayName: 'Shown' });
      const config = await discover(authentication());
      expect(config.serverMetadata().issuer).to.equal(`${roblox.sandbox.apisUrl}/oauth/`);

      const pkceCodeVerifier = client.randomPKCECodeVerifier();
      const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()];
      const authorizeUrl = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid profile',
        code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: expectedState,
        nonce: expectedNonce,
      });
      const callback = new URL(roblox.sandbox.authorize(authorizeUrl.href, user.id));
      expect(callback.href).to.match(/^http:\/\/localhost:3000\/verify\/callback\?code=/);

      const checks = { pkceCodeVerifier, expectedState, expectedNonce };
      const tokens = await client.authorizationCodeGrant(config, callback, checks);
      expect(tokens.expires_in).to.equal(899);
      expect(tokens.scope).to.equal('openid profile');
      expect(tokens.claims()).to.include({ sub: user.id, preferred_username: user.username, nonce: expectedNonce });
      expect(await client.fetchUserInfo(config, tokens.access_token, user.id)).to.deep.equal({
        sub: user.id,
        name: 'Shown',
        nickname: 'Shown',
        preferred_username: user.username,
        created_at: Math.floor(user.createdAt.getTime() / 1000),
        profile: `https://www.roblox.com/users/${user.id}/profile`,
        picture: `${roblox.sandbox.url}/images/headshot/${user.id}.svg`,
      });

      const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
      expect(refreshed.access_token).not.to.equal(tokens.access_token);
      expect(refreshed.refresh_token).not.to.equal(tokens.refresh_token);
    });
  }

  it('Sandbox OAuth informs the application when the person declines', async () => {
    const user = roblox.sandbox.addUser({ username: newName() });
    const config = await discover(client.ClientSecretBasic(roblox.sandbox.oauth.clientSecret));
    const parameters = { redirect_uri: redirectUri, scope: 'openid', state: 'abc' };
    const url = client.buildAuthorizationUrl(config, parameters);
    const answer = new URL(roblox.sandbox.authorize(url.href, user.id, false)).searchParams;
    expect(answer.get('error')).to.equal('access_denied');
    expect(answer.get('state')).to.equal('abc');
    expect(answer.has('code')).to.equal(false);
  });
});
