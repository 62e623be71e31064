import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { clock } from '../../../src/lib/clock.js';
import { type Answer, field, newName, RobloxFixture } from './roblox-fixture.js';

const redirectUri = 'http://localhost:3000/verify/callback';

describe('Roblox sandbox: codes and tokens', () => {
  const roblox = new RobloxFixture();
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');

  function authorize(scope = 'openid profile'): { code: string; userId: string } {
    const user = roblox.sandbox.addUser({ username: newName() });
    const query = new URLSearchParams({
      client_id: roblox.sandbox.oauth.clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    const url = new URL(roblox.sandbox.authorize(`${roblox.sandbox.apisUrl}/oauth/v1/authorize?${query}`, user.id));
    return { code: url.searchParams.get('code') ?? '', userId: user.id };
  }

  const post = (path: string, fields: Record<string, string>) => {
    const { clientId, clientSecret } = roblox.sandbox.oauth;
    return roblox.postForm(`/apis/oauth/v1/${path}`, { client_id: clientId, client_secret: clientSecret, ...fields });
  };
  const redeem = (code: string, code_verifier = verifier) =>
    post('token', { grant_type: 'authorization_code', code, code_verifier });
  const refresh = (token: unknown) => post('token', { grant_type: 'refresh_token', refresh_token: String(token) });
  const userInfo = (token: unknown) => roblox.get('/apis/oauth/v1/userinfo', { authorization: `Bearer ${token}` });

  function expectError(answer: Answer, status: number, error: string): void {
    expect(answer.status).to.equal(status);
    expect(field(answer.body, 'error')).to.equal(error);
  }

  it('Sandbox OAuth redeems a code once; a second use ends the tokens of the first', async () => {
    const { code, userId } = authorize();
    const { body } = await redeem(code);
    expect(field((await userInfo(field(body, 'access_token'))).body, 'sub')).to.equal(userId);
    expectError(await redeem(code), 400, 'invalid_grant');
    expectError(await userInfo(field(body, 'access_token')), 401, 'invalid_token');
    expectError(await refresh(field(body, 'refresh_token')), 400, 'invalid_grant');
  });

  it('Sandbox OAuth redeems a code within a minute', async () => {
    const { code: early } = authorize();
    const { code: late } = authorize();
    clock.advance(50_000);
    expect((await redeem(early)).status).to.equal(200);
    clock.advance(11_000);
    expectError(await redeem(late), 400, 'invalid_grant');
  });

  it('Sandbox OAuth wants the verifier that belongs to the challenge', async () => {
    expectError(await redeem(authorize().code, randomBytes(32).toString('base64url')), 400, 'invalid_grant');
    const without = await post('token', { grant_type: 'authorization_code', code: authorize().code });
    expectError(without, 400, 'invalid_grant');
  });

  it('Sandbox access tokens live for 15 minutes and refresh tokens for 90 days, each used once', async () => {
    const { body } = await redeem(authorize().code);
    clock.advance(850_000);
    expect((await userInfo(field(body, 'access_token'))).status).to.equal(200);
    clock.advance(50_000);
    expectError(await userInfo(field(body, 'access_token')), 401, 'invalid_token');
    clock.advance(88 * 24 * 60 * 60 * 1000);
    const renewed = await refresh(field(body, 'refresh_token'));
    expect(renewed.status).to.equal(200);
    clock.advance(91 * 24 * 60 * 60 * 1000);
    expectError(await refresh(field(renewed.body, 'refresh_token')), 400, 'invalid_grant');
  });

  it('Sandbox OAuth refuses a refresh token that was used before', async () => {
    const { body } = await redeem(authorize().code);
    expect((await refresh(field(body, 'refresh_token'))).status).to.equal(200);
    expectError(await refresh(field(body, 'refresh_token')), 400, 'invalid_grant');
  });

  it('Sandbox OAuth gives an id token only with the scope openid, and the profile only with profile', async () => {
    const { body } = await redeem(authorize('group:read').code);
    expect(body).not.to.have.property('id_token');
    const { code, userId } = authorize('openid');
    const openid = await redeem(code);
    expect(openid.body).to.have.property('id_token').that.is.a('string');
    expect((await userInfo(field(openid.body, 'access_token'))).body).to.deep.equal({ sub: userId });
  });

  it('A withdrawn access token stays active in introspection, but not in resources and user info', async () => {
    const { code, userId } = authorize();
    const { body } = await redeem(code);
    const token = String(field(body, 'access_token'));
    const resources = await post('token/resources', { token });
    expect(field(resources.body, 'resource_infos', 0, 'owner')).to.deep.equal({ id: userId, type: 'User' });

    const revoked = await post('token/revoke', { token: String(field(body, 'refresh_token')) });
    expect(revoked.status).to.equal(200);
    expect(revoked.body).to.equal('');
    const introspection = await post('token/introspect', { token });
    expect(introspection.body).to.include({ active: true, sub: userId, client_id: roblox.sandbox.oauth.clientId });
    expectError(await post('token/resources', { token }), 400, 'invalid_grant');
    expectError(await userInfo(token), 401, 'invalid_token');
    expectError(await refresh(field(body, 'refresh_token')), 400, 'invalid_grant');
  });

  it('Sandbox OAuth introspects refresh and id tokens, and anything else as inactive', async () => {
    const { code, userId } = authorize();
    const { body } = await redeem(code);
    for (const name of ['refresh_token', 'id_token']) {
      const answer = await post('token/introspect', { token: String(field(body, name)) });
      expect(answer.body, name).to.include({ active: true, sub: userId });
    }
    expect((await post('token/introspect', { token: 'made-up' })).body).to.deep.equal({ active: false });
  });

  it('A sandbox access token opens Open Cloud', async () => {
    const { code, userId } = authorize();
    const { body } = await redeem(code);
    const headers = { authorization: `Bearer ${field(body, 'access_token')}` };
    const answer = await roblox.cloud(`/users/${userId}`, headers);
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('x-ratelimit-limit')).to.equal('10, 10;w=60');
  });

  it('Sandbox OAuth accepts only its own client, by form or Basic', async () => {
    const { clientId, clientSecret } = roblox.sandbox.oauth;
    const fields = { token: 'made-up' };
    const basic = (id: string, secret: string) => ({
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
    });
    const path = '/apis/oauth/v1/token/introspect';
    expect((await roblox.postForm(path, fields, basic(clientId, clientSecret))).status).to.equal(200);
    expectError(await roblox.postForm(path, fields, basic(clientId, 'wrong')), 401, 'invalid_client');
    expectError(await roblox.postForm(path, fields), 401, 'invalid_client');
    expectError(await post('token/introspect', { ...fields, client_id: '1' }), 401, 'invalid_client');
  });
});

describe('Roblox sandbox: codes and tokens, bad requests', () => {
  const roblox = new RobloxFixture({ checked: false });
  const cases: [fields: Record<string, string>, error: string][] = [
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
    [{ grant_type: 'refresh_token' }, 'invalid_request'],
    [{ grant_type: 'authorization_code', code: 'x', code_verifier: 'short' }, 'invalid_request'],
    [{ grant_type: 'authorization_code', code: 'made-up' }, 'invalid_grant'],
  ];
  for (const [fields, error] of cases) {
    it(`Sandbox OAuth answers ${JSON.stringify(fields)} with ${error}`, async () => {
      const { clientId, clientSecret } = roblox.sandbox.oauth;
      const form = { client_id: clientId, client_secret: clientSecret, ...fields };
      const answer = await roblox.postForm('/apis/oauth/v1/token', form);
      expect(answer.status).to.equal(400);
      expect(field(answer.body, 'error')).to.equal(error);
    });
  }
});
