import { expect } from 'chai';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { clock } from '../../../src/lib/clock.js';
import {
  beginGameOAuth,
  finishGameOAuth,
  GameOAuthInvalid,
  gameOAuthEnabled,
} from '../../../src/platforms/roblox/game-oauth.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import {
  configFor,
  countRequests,
  expectUnavailable,
  sendJson,
  startScriptedRoblox,
  useQuiet,
  useRobloxSandbox,
} from './roblox-setup.js';

const redirectUri = 'https://rolelink.example/verify/oauth/callback';

async function expectInvalid(promise: Promise<unknown>): Promise<void> {
  const outcome = await promise.catch((error: unknown) => error);
  expect(outcome).to.be.instanceOf(GameOAuthInvalid);
  expect(outcome).to.include({ kind: 'unprocessable', code: 'oauth_invalid' });
}

// ROBLOX-9
describe('Roblox OAuth', () => {
  const sandbox = useRobloxSandbox();
  let userId: string;
  before(() => {
    userId = sandbox().addUser({ username: 'Consenting', displayName: 'Connie' }).id;
  });

  /** Everything from the start to the person's consent. */
  const consent = async () => {
    const { authorizeUrl, ...flow } = await beginGameOAuth(redirectUri);
    const returned = new URL(sandbox().authorize(authorizeUrl, userId));
    return { ...flow, redirectUri, code: returned.searchParams.get('code') ?? '' };
  };

  it('Roblox OAuth is on only when an OAuth app is configured', () => {
    expect(gameOAuthEnabled()).to.equal(true);
    const { oauth: _, ...without } = configFor(sandbox());
    configureRoblox(without);
    expect(gameOAuthEnabled()).to.equal(false);
  });

  it('Roblox OAuth asks for openid and profile with PKCE, state and nonce, new ones each time', async () => {
    const [first, second] = [await beginGameOAuth(redirectUri), await beginGameOAuth(redirectUri)];
    const asked = new URL(first.authorizeUrl).searchParams;
    expect(Object.fromEntries(asked)).to.include({
      client_id: sandbox().oauth.clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid profile',
      state: first.state,
      nonce: first.nonce,
      code_challenge_method: 'S256',
    });
    expect(first.authorizeUrl).not.to.contain(first.codeVerifier);
    expect(
      new Set([first, second].flatMap(({ state, nonce, codeVerifier }) => [state, nonce, codeVerifier])).size,
    ).to.equal(6);
    expect(countRequests(sandbox(), /openid-configuration/)).to.equal(1);
  });

  it('finishGameOAuth returns the account that consented', async () => {
    expect(await finishGameOAuth(await consent())).to.deep.equal({
      gameUserId: userId,
      gameUsername: 'Consenting',
      gameDisplayName: 'Connie',
    });
  });

  it('Roblox gives no code after a person’s refusal', async () => {
    const { authorizeUrl, state } = await beginGameOAuth(redirectUri);
    const returned = new URL(sandbox().authorize(authorizeUrl, userId, false)).searchParams;
    expect(returned.get('error')).to.equal('access_denied');
    expect(returned.get('state')).to.equal(state);
    expect(returned.has('code')).to.equal(false);
  });

  it('finishGameOAuth refuses a code that was used, is unknown, or is empty', async () => {
    const flow = await consent();
    await finishGameOAuth(flow);
    await expectInvalid(finishGameOAuth(flow));
    await expectInvalid(finishGameOAuth({ ...flow, code: 'made-up' }));
    await expectInvalid(finishGameOAuth({ ...flow, code: '' }));
  });

  it('finishGameOAuth refuses the verifier of another flow', async () => {
    const [flow, other] = [await consent(), await consent()];
    await expectInvalid(finishGameOAuth({ ...flow, codeVerifier: other.codeVerifier }));
  });

  it('finishGameOAuth exchanges a code only once, also when the answer is lost', async () => {
    const flow = await consent();
    sandbox().inject({ match: /POST .*\/oauth\/v1\/token$/, dropSocket: true, when: 'after', times: 1 });
    await expectUnavailable(finishGameOAuth(flow));
    expect(countRequests(sandbox(), /\/oauth\/v1\/token$/)).to.equal(1);
  });

  for (const [step, path] of Object.entries({
    'the token endpoint': /\/oauth\/v1\/token$/,
    'the keys': /\/oauth\/v1\/certs$/,
    'the user information': /\/oauth\/v1\/userinfo$/,
  })) {
    it(`finishGameOAuth is unavailable, not invalid, when ${step} cannot be read`, async () => {
      const flow = await consent();
      sandbox().inject({ match: path, status: 503, times: 1 });
      await expectUnavailable(finishGameOAuth(flow));
      const another = await consent();
      sandbox().inject({ match: path, corrupt: 'truncated', times: 1 });
      await expectUnavailable(finishGameOAuth(another));
    });
  }

  it('finishGameOAuth does not wait for ever for Roblox', async () => {
    configureRoblox(configFor(sandbox(), { timeoutMs: 200 }));
    const flow = await consent();
    sandbox().inject({ match: /\/oauth\/v1\/token$/, delayMs: 60_000, times: 1 });
    await expectUnavailable(finishGameOAuth(flow));
  });

  it('beginGameOAuth is unavailable while the discovery document cannot be read, and recovers', async () => {
    sandbox().inject({ match: /openid-configuration/, status: 500, times: 1 });
    await expectUnavailable(beginGameOAuth(redirectUri));
    expect((await beginGameOAuth(redirectUri)).state).to.be.a('string');
  });

  it('beginGameOAuth reads the discovery document again after an hour, and keeps the old one while that fails', async () => {
    await beginGameOAuth(redirectUri);
    const read = countRequests(sandbox(), /openid-configuration/);
    clock.advance(61 * 60_000);
    sandbox().inject({ match: /openid-configuration/, status: 503 });
    expect((await beginGameOAuth(redirectUri)).authorizeUrl).to.contain('code_challenge');
    sandbox().clearFaults();
    await beginGameOAuth(redirectUri);
    expect(countRequests(sandbox(), /openid-configuration/)).to.be.greaterThan(read + 1);
    await beginGameOAuth(redirectUri);
    expect(countRequests(sandbox(), /openid-configuration/)).to.equal(read + 2);
    clock.restore();
  });

  it('Roblox’s refusal of our own OAuth credentials is unavailability, not the person’s fault', async () => {
    configureRoblox({ ...configFor(sandbox()), oauth: { ...sandbox().oauth, clientSecret: 'wrong' } });
    await expectUnavailable(finishGameOAuth(await consent()));
  });
});

describe('Id tokens of Roblox OAuth', () => {
  useQuiet();
  const good = { alg: 'ES256', iss: '', aud: 'app', sub: '42', nonce: 'nonce', lifetime: 60 };

  /** Finishes a sign-in with a changed id token; `foreignKey` signs it with a key that Roblox never published. */
  const finishWith = async (change: Partial<typeof good> & { foreignKey?: boolean; subOfUserInfo?: string }) => {
    const claims = { ...good, ...change };
    const keys = await generateKeyPair(claims.alg, { extractable: true });
    const jwk = await exportJWK(keys.publicKey);
    const kid = await calculateJwkThumbprint(jwk);
    const signer = change.foreignKey ? await generateKeyPair(claims.alg) : keys;
    const roblox = await startScriptedRoblox(async (request, response) => {
      const issuer = `${roblox.config.apisUrl}/oauth/`;
      const idToken = () =>
        new SignJWT({ nonce: claims.nonce })
          .setProtectedHeader({ alg: claims.alg, kid })
          .setIssuer(claims.iss || issuer)
          .setAudience(claims.aud)
          .setSubject(claims.sub)
          .setIssuedAt()
          .setExpirationTime(Math.floor(Date.now() / 1000) + claims.lifetime)
          .sign(signer.privateKey);
      const answers: Record<string, () => unknown> = {
        '/oauth/.well-known/openid-configuration': () => ({
          issuer,
          authorization_endpoint: `${issuer}v1/authorize`,
          token_endpoint: `${issuer}v1/token`,
          userinfo_endpoint: `${issuer}v1/userinfo`,
          jwks_uri: `${issuer}v1/certs`,
          id_token_signing_alg_values_supported: ['ES256', 'RS256'],
        }),
        '/oauth/v1/token': async () => ({ access_token: 'at', token_type: 'Bearer', id_token: await idToken() }),
        '/oauth/v1/certs': () => ({ keys: [{ ...jwk, kid, use: 'sig' }] }),
        '/oauth/v1/userinfo': () => ({
          sub: change.subOfUserInfo ?? claims.sub,
          preferred_username: 'fortytwo',
          nickname: 'Forty Two',
        }),
      };
      sendJson(response, await answers[request.url ?? '']?.());
    });
    configureRoblox({ ...roblox.config, oauth: { clientId: 'app', clientSecret: 'secret' } });
    const codeVerifier = 'v'.repeat(43);
    try {
      return await finishGameOAuth({ redirectUri, code: 'code', state: 'state', codeVerifier, nonce: 'nonce' });
    } finally {
      await roblox.stop();
    }
  };

  it('finishGameOAuth accepts an id token that holds', async () => {
    expect(await finishWith({})).to.deep.equal({
      gameUserId: '42',
      gameUsername: 'fortytwo',
      gameDisplayName: 'Forty Two',
    });
  });

  for (const [fault, change] of Object.entries({
    'signed by somebody else': { foreignKey: true },
    'signed with another algorithm than ES256': { alg: 'RS256' },
    'of another issuer': { iss: 'https://issuer.example/' },
    'for another app': { aud: 'other-app' },
    'that has expired': { lifetime: -3_600 },
    'with another nonce': { nonce: 'other' },
    'about somebody else than the user information': { subOfUserInfo: '43' },
  })) {
    it(`finishGameOAuth refuses an id token ${fault}`, () => expectInvalid(finishWith(change)));
  }
});
