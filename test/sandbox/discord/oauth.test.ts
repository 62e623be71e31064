import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { Routes } from 'discord.js';
import { z } from 'zod';
import { clock } from '../../../src/lib/clock.js';
import { type CheckedSandbox, startCheckedSandbox } from './checked-sandbox.js';
import type { DiscordSandbox, SandboxGuild, SandboxUser } from './discord-sandbox.js';

const redirectUri = 'http://127.0.0.1:9/api/auth/callback';

let checked: CheckedSandbox;
let sandbox: DiscordSandbox;
let una: SandboxUser;
let guild: SandboxGuild;

function useSandbox(): void {
  before(async () => {
    checked = await startCheckedSandbox({ rateLimits: false });
    sandbox = checked.sandbox;
    una = sandbox.addUser({ username: 'una', globalName: 'Una' });
    guild = sandbox.addGuild({ name: 'Hall', ownerId: una.id });
  });

  after(() => checked.stop());
}

function authorizeUrl(change: Record<string, string> = {}): string {
  const query = new URLSearchParams({
    client_id: sandbox.application.id,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'identify guilds',
    state: 's-1',
    ...change,
  });
  return `${sandbox.url}/oauth2/authorize?${query}`;
}

function codeFor(change?: Record<string, string>): string {
  return new URL(sandbox.authorize(authorizeUrl(change), una.id)).searchParams.get('code') ?? '';
}

async function post(path: string, form: Record<string, string>, headers: Record<string, string> = basic()) {
  const answer = await fetch(`${sandbox.apiUrl}/${path}`, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers,
  });
  const body = z.record(z.string(), z.union([z.string(), z.number()]).transform(String)).parse(await answer.json());
  return { status: answer.status, body };
}

function basic(secret = sandbox.application.clientSecret): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${sandbox.application.id}:${secret}`).toString('base64')}` };
}

const exchange = (code: string, change: Record<string, string> = {}) =>
  post('oauth2/token', { grant_type: 'authorization_code', code, redirect_uri: redirectUri, ...change });

const get = (path: string, token = '') =>
  fetch(`${sandbox.apiUrl}/v10${path}`, { headers: { authorization: `Bearer ${token}` } });

describe('Discord sandbox: OAuth authorization', () => {
  useSandbox();

  it('Sandbox OAuth signs a person in with PKCE, and returns the person and their guilds', async () => {
    const verifier = randomBytes(32).toString('base64url');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
    const back = new URL(sandbox.authorize(authorizeUrl(pkce), una.id));
    expect(back.origin + back.pathname).to.equal(redirectUri);
    expect(back.searchParams.get('state')).to.equal('s-1');
    const code = back.searchParams.get('code') ?? '';
    expect(await exchange(code, { code_verifier: 'wrong' })).to.deep.include({ status: 400 });
    const { status, body } = await exchange(code, { code_verifier: verifier });
    expect(status).to.equal(200);
    expect(body).to.include({ token_type: 'Bearer', expires_in: '604800', scope: 'identify guilds' });
    const me = await get(Routes.user('@me'), body.access_token);
    expect(await me.json()).to.include({ id: una.id, username: 'una', global_name: 'Una' });
    const guilds: unknown = await (await get(Routes.userGuilds(), body.access_token)).json();
    expect(guilds).to.have.lengthOf(1);
    expect(guilds).to.have.nested.property('[0].id', guild.id);
    expect(guilds).to.have.nested.property('[0].owner', true);
    const authorization: unknown = await (await get('/oauth2/@me', body.access_token)).json();
    expect(authorization).to.have.nested.include({ 'application.id': sandbox.application.id, 'user.id': una.id });
    const unversioned = await fetch(`${sandbox.apiUrl}/users/@me`, {
      headers: { authorization: `Bearer ${body.access_token}` },
    });
    expect(unversioned.status).to.equal(200);
  });

  it('Sandbox OAuth sends a refusal back, and does not redirect an unsound request', async () => {
    const back = new URL(sandbox.authorize(authorizeUrl(), una.id, false));
    expect(Object.fromEntries(back.searchParams)).to.include({ error: 'access_denied', state: 's-1' });
    expect(back.searchParams.has('code')).to.equal(false);
    for (const change of [
      { client_id: '1' },
      { scope: 'everything' },
      { response_type: 'token' },
      { redirect_uri: 'javascript:alert(1)' },
      { code_challenge: 'short', code_challenge_method: 'S256' },
      { code_challenge: 'c'.repeat(43), code_challenge_method: 'plain' },
    ]) {
      expect(() => sandbox.authorize(authorizeUrl(change), una.id)).to.throw();
      expect((await fetch(authorizeUrl(change), { redirect: 'manual' })).status).to.equal(400);
    }
  });

  it('The sandbox’s consent page lets a person choose and approve, and prompt=none passes a known person through', async () => {
    const page = await fetch(authorizeUrl());
    expect(page.headers.get('content-type')).to.match(/text\/html/);
    const html = await page.text();
    expect(html).to.include('identify, guilds').and.to.include(`<option value="${una.id}">una</option>`);
    const decision = await fetch(authorizeUrl(), {
      method: 'POST',
      body: new URLSearchParams({ userId: una.id, decision: 'approve' }),
      redirect: 'manual',
    });
    expect(decision.status).to.equal(303);
    expect(new URL(decision.headers.get('location') ?? '').searchParams.get('code')).not.to.equal(null);
    const cookie = decision.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const silent = await fetch(authorizeUrl({ prompt: 'none' }), { headers: { cookie }, redirect: 'manual' });
    expect(silent.status).to.equal(302);
    expect((await fetch(authorizeUrl({ prompt: 'none' }), { redirect: 'manual' })).status).to.equal(200);
    expect((await fetch(authorizeUrl(), { headers: { cookie }, redirect: 'manual' })).status).to.equal(200);
  });

  it('Sandbox OAuth installs the bot with the scope bot, and holds to registered redirect URIs', async () => {
    const bare = sandbox.addGuild({ name: 'Bare', ownerId: una.id, withBot: false });
    sandbox.authorize(authorizeUrl({ scope: 'identify bot', guild_id: bare.id }), una.id);
    expect(sandbox.botRole(bare.id).managed).to.equal(true);
    sandbox.registerRedirectUri(redirectUri);
    expect(codeFor()).not.to.equal('');
    expect(() => codeFor({ redirect_uri: 'http://127.0.0.1:9/other' })).to.throw(/not registered/);
  });
});

describe('Discord sandbox: OAuth tokens', () => {
  useSandbox();

  it('Sandbox OAuth accepts a code once, within a minute, for its own redirect URI; reuse ends its tokens', async () => {
    const code = codeFor();
    const wrong = await exchange(codeFor(), { redirect_uri: 'http://127.0.0.1:9/other' });
    expect(wrong).to.deep.include({ status: 400 });
    expect(wrong.body.error).to.equal('invalid_grant');
    const { body } = await exchange(code);
    expect((await get('/users/@me', body.access_token)).status).to.equal(200);
    expect((await exchange(code)).body.error).to.equal('invalid_grant');
    expect((await get('/users/@me', body.access_token)).status).to.equal(401);
    const late = codeFor();
    clock.advance(61_000);
    expect((await exchange(late)).body.error).to.equal('invalid_grant');
  });

  it('Sandbox OAuth refreshes once for each refresh token, and revokes both tokens together', async () => {
    const first = (await exchange(codeFor())).body;
    const refresh = (token = '') => post('oauth2/token', { grant_type: 'refresh_token', refresh_token: token });
    const second = await refresh(first.refresh_token);
    expect(second.status).to.equal(200);
    expect((await refresh(first.refresh_token)).body.error).to.equal('invalid_grant');
    expect((await get('/users/@me', first.access_token)).status).to.equal(401);
    const revoked = await post('v10/oauth2/token/revoke', { token: second.body.refresh_token ?? '' });
    expect(revoked.status).to.equal(200);
    expect((await get('/users/@me', second.body.access_token)).status).to.equal(401);
  });

  it('Sandbox OAuth wants the client secret, a form, and a grant type that it knows', async () => {
    const form = { grant_type: 'authorization_code', code: codeFor(), redirect_uri: redirectUri };
    expect((await post('oauth2/token', form, basic('wrong'))).body.error).to.equal('invalid_client');
    expect((await post('oauth2/token', form, {})).status).to.equal(401);
    const { id, clientSecret } = sandbox.application;
    expect((await post('oauth2/token', { ...form, client_id: id, client_secret: clientSecret }, {})).status).to.equal(
      200,
    );
    expect((await post('oauth2/token', { grant_type: 'password' })).body.error).to.equal('unsupported_grant_type');
    expect((await post('oauth2/token', { grant_type: 'refresh_token' })).body.error).to.equal('invalid_request');
    const json = await fetch(`${sandbox.apiUrl}/oauth2/token`, {
      method: 'POST',
      headers: { ...basic(), 'content-type': 'application/json' },
      body: JSON.stringify(form),
    });
    expect(json.status).to.equal(400);
  });

  it('Sandbox OAuth gives only the fields of the scope', async () => {
    const { body } = await exchange(codeFor({ scope: 'identify' }));
    const answer = await get('/users/@me/guilds', body.access_token);
    expect(answer.status).to.equal(403);
    expect(await answer.json()).to.include({ code: 50026 });
    const members = (await exchange(codeFor({ scope: 'guilds.members.read' }))).body;
    const member: unknown = await (await get(`/users/@me/guilds/${guild.id}/member`, members.access_token)).json();
    expect(member).to.have.nested.include({ 'user.id': una.id });
    expect((await get('/users/@me', members.access_token)).status).to.equal(403);
    expect((await get('/gateway/bot', body.access_token)).status).to.equal(401);
  });

  it('Sandbox OAuth returns a person’s connections', async () => {
    const connections = async () => {
      const { body } = await exchange(codeFor({ scope: 'connections' }));
      return (await get('/users/@me/connections', body.access_token)).json();
    };
    expect(await connections()).to.deep.equal([]);
    sandbox.connect(una.id, { id: '15', name: 'UnaPlays' });
    sandbox.connect(una.id, { id: 'x', name: 'una', type: 'steam', verified: false });
    const told = z.array(z.object({ id: z.string(), type: z.string(), verified: z.boolean() }));
    expect(told.parse(await connections())).to.deep.equal([
      { id: '15', type: 'roblox', verified: true },
      { id: 'x', type: 'steam', verified: false },
    ]);
    const { body } = await exchange(codeFor());
    expect((await get('/users/@me/connections', body.access_token)).status).to.equal(403);
  });

  it('The sandbox keeps Linked Roles data by registered keys until the person takes their consent back', async () => {
    const { id } = sandbox.application;
    const records = [{ type: 7, key: 'verified', name: 'Verified', description: 'Has a Roblox account' }];
    const bot = { authorization: `Bot ${sandbox.application.botToken}`, 'content-type': 'application/json' };
    const registered = await fetch(`${sandbox.apiUrl}/v10/applications/${id}/role-connections/metadata`, {
      method: 'PUT',
      headers: bot,
      body: JSON.stringify(records),
    });
    expect([registered.status, await registered.json()]).to.deep.equal([200, records]);
    const { body: tokens } = await exchange(codeFor({ scope: 'identify role_connections.write' }));
    const write = (metadata: object, token = tokens.access_token) =>
      fetch(`${sandbox.apiUrl}/v10/users/@me/applications/${id}/role-connection`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ platform_name: 'Roblox', platform_username: 'Una', metadata }),
      });
    expect((await write({ verified: '1' })).status).to.equal(200);
    expect(sandbox.roleConnection(una.id)).to.deep.equal({
      name: 'Roblox',
      username: 'Una',
      metadata: { verified: '1' },
    });
    expect((await write({ other: '1' })).status).to.equal(400);
    const { body: poorer } = await exchange(codeFor());
    expect((await write({}, poorer.access_token)).status).to.equal(403);
    sandbox.withdrawConsent(una.id);
    expect([sandbox.roleConnection(una.id), (await write({})).status]).to.deep.equal([undefined, 401]);
    sandbox.roleConnectionRecords([]);
  });
});
