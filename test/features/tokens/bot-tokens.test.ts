import { expect } from 'chai';
import { decodeJwt, type JWTPayload, SignJWT } from 'jose';
import { config } from '../../../src/config/config.js';
import { systemActor } from '../../../src/core/actors/actor.js';
import { tokenPrefix } from '../../../src/features/tokens/bot-tokens.js';
import { revokeToken } from '../../../src/features/tokens/token-revocation.js';
import { findToken } from '../../../src/features/tokens/token-service.js';
import { clock } from '../../../src/lib/clock.js';
import { api } from '../../support/api.js';
import { buildGuild, tokenFor } from '../../support/build.js';

const claimsOf = (token: string) => decodeJwt(token.slice(tokenPrefix.length));
const statusWith = async (token: string) => (await api(token).get('/api/auth/me')).status;

// AUTH-16, AUTH-20, AUTH-25, AUTH-26
describe('Bot tokens', () => {
  // API-57
  it('A bot token can read its id, guild and role', async () => {
    const { guildId, token } = await buildGuild();
    const { body } = await api(token).get('/api/auth/me');
    expect(body).to.deep.equal({ kind: 'bot_token', tokenId: claimsOf(token).sub, guildId, role: 'owner' });
  });

  it('A bot token stops working immediately when it is revoked', async () => {
    const token = await tokenFor('*', 'viewer');
    expect(await statusWith(token)).to.equal(200);
    const row = await findToken(claimsOf(token).sub ?? '');
    if (row === null) throw new Error('no row');
    expect(await revokeToken(row, systemActor('test'))).to.equal(true);
    expect(await revokeToken(row, systemActor('test'))).to.equal(false);
    expect(await statusWith(token)).to.equal(401);
  });

  it('A bot token stops working after a year', async () => {
    const token = await tokenFor('*', 'viewer');
    clock.advance(366 * 24 * 60 * 60_000);
    expect(await statusWith(token)).to.equal(401);
  });

  // AUTH-19
  it('A bot token is signed by the first key, and verified by every key', async () => {
    const token = await tokenFor('*', 'viewer');
    const { botTokenKeys } = config();
    const before = [...botTokenKeys];
    botTokenKeys.unshift({ kid: 'new', secret: 'n'.repeat(40) });
    try {
      expect(await statusWith(token)).to.equal(200);
      const rotated = await tokenFor('*', 'viewer');
      expect(await statusWith(rotated)).to.equal(200);
      botTokenKeys.splice(1);
      expect(await statusWith(token)).to.equal(401);
      expect(await statusWith(rotated)).to.equal(200);
    } finally {
      botTokenKeys.splice(0, botTokenKeys.length, ...before);
    }
  });

  // AUTH-18
  it('A bot token is known by the form of those out there, and by nothing less', async () => {
    const claims = claimsOf(await tokenFor('*', 'viewer'));
    expect(claims).to.include({ iss: 'rolelink', gid: '*', role: 'viewer' });
    const [key] = config().botTokenKeys;
    if (key === undefined) throw new Error('no key');
    const { kid, secret } = key;
    const statusOf = async (payload: JWTPayload) =>
      statusWith(await new SignJWT(payload).setProtectedHeader({ alg: 'HS256', kid }).sign(Buffer.from(secret)));
    expect(await statusOf(claims)).to.equal(200);
    for (const name of ['iss', 'sub', 'gid', 'role', 'exp', 'iat']) {
      expect(await statusOf({ ...claims, [name]: undefined }), `without ${name}`).to.equal(401);
    }
  });

  it('A forged bot token is refused: another key or algorithm, none, changed claims, no row', async () => {
    const token = await tokenFor('*', 'viewer');
    const [key] = config().botTokenKeys;
    if (key === undefined) throw new Error('no key');
    const claims = { ...claimsOf(token) };
    const sign = (alg: string, secret: string, changed = {}) =>
      new SignJWT({ ...claims, ...changed }).setProtectedHeader({ alg, kid: key.kid }).sign(Buffer.from(secret));
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.`;
    const forged = [
      await sign('HS256', 'x'.repeat(43)),
      await sign('HS512', key.secret.padEnd(64, '0')),
      await sign('HS256', key.secret, { role: 'owner' }),
      await sign('HS256', key.secret, { gid: '1' }),
      await sign('HS256', key.secret, { sub: 'tok_000000000000000000000000' }),
      await sign('HS256', key.secret, { iss: 'somebody' }),
      await sign('HS256', key.secret, { exp: Number(claims.exp) + 1 }),
      unsigned,
      'rubbish',
    ];
    for (const [index, bad] of forged.entries()) expect(await statusWith(bad), `forgery ${index}`).to.equal(401);
    expect(await statusWith(token)).to.equal(200);
  });

  it('A bot token sees its own guild only, and the platform’s sees every guild', async () => {
    const [mine, other] = [await buildGuild(), await buildGuild()];
    const { body } = await mine.api.get('/api/guilds');
    expect(body.data.map((guild: { guildId: string }) => guild.guildId)).to.deep.equal([mine.guildId]);
    expect((await mine.api.get(other.path)).status).to.equal(404);
    const platform = api(await tokenFor('*', 'viewer'));
    expect((await platform.get(other.path)).status).to.equal(200);
  });
});
