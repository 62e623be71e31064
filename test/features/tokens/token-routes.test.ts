import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { chatUser } from '../../../src/core/actors/actor.js';
import { mintBotToken } from '../../../src/features/tokens/bot-tokens.js';
import { BotTokens } from '../../../src/features/tokens/token-model.js';
import { createToken, purgeTokens, removeToken } from '../../../src/features/tokens/token-service.js';
import { clock } from '../../../src/lib/clock.js';
import { Forbidden } from '../../../src/lib/errors.js';
import { type Api, api, asPerson } from '../../support/api.js';
import { emptyOutboxes } from '../../support/background.js';
import { buildGuild, eventually, type TestGuild, tokenFor } from '../../support/build.js';
import { world } from '../../support/world.js';
import { buildDiscordAdmin, buildTeammate, teamEntries } from '../team/team-setup.js';

const dayMs = 24 * 60 * 60_000;

const ownerOf = ({ ownerId: chatUserId }: TestGuild) => asPerson({ chatUserId, username: 'owner' });
/** Made by the guild's owner, unless said otherwise. */
const made = async (guild: TestGuild, body: object, caller?: Api) => {
  const answer = await (caller ?? (await ownerOf(guild))).post(`${guild.path}/tokens`, body);
  expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
  return answer.body;
};
const named = async (guild: TestGuild): Promise<string[]> =>
  (await guild.api.get(`${guild.path}/tokens?limit=100`)).body.data.map(({ name }: { name: string }) => name);

// AUTH-21, AUTH-22
describe('New tokens', () => {
  // AUTH-29
  it('A new token works and is shown once, and neither database nor log keeps its text', async () => {
    const guild = await buildGuild();
    const { token, ...shown } = await made(guild, { name: ' my site ', role: 'manager', expiresInDays: 30 });
    expect(token).to.match(/^rlk_eyJ[\w-]+\.[\w-]+\.[\w-]+$/);
    const { sub, gid, role, exp } = decodeJwt(token.slice('rlk_'.length));
    const tokenId = shown.tokenId;
    expect(tokenId)
      .to.match(/^tok_[0-9a-f]{24}$/)
      .and.to.equal(sub);
    expect({ gid, role }).to.deep.equal({ gid: guild.guildId, role: 'manager' });
    expect(shown).to.include({ name: 'my site', role: 'manager', lastUsedAt: null });
    expect(Date.parse(shown.expiresAt) - Date.parse(shown.createdAt)).to.equal(30 * dayMs);
    expect(exp).to.equal(Math.floor(Date.parse(shown.expiresAt) / 1000));
    for (const text of [token, token.slice('rlk_'.length)]) {
      expect((await api(text).get(guild.path)).body.role).to.equal('manager');
    }
    const signature = token.split('.')[2];
    expect(JSON.stringify(await BotTokens.find({ guildId: guild.guildId }))).not.to.contain(signature);
    const entries = await teamEntries(guild);
    expect(entries).to.have.length(1);
    expect(JSON.stringify(entries)).not.to.contain(signature);
    expect(entries[0]).to.deep.include({
      action: 'token.created',
      target: { kind: 'token', id: tokenId, name: 'my site' },
    });
    expect(entries[0]?.changes?.role).to.deep.equal({ from: null, to: 'manager' });
    const { body } = await guild.api.get(`${guild.path}/tokens`);
    const row = body.data.find((each: { tokenId: string }) => each.tokenId === tokenId);
    expect(row).not.to.have.property('token');
    expect(row).to.include({ createdBy: shown.createdBy, expiresAt: shown.expiresAt });
    expect(Date.now() - Date.parse(row.lastUsedAt)).to.be.within(0, 60_000);
  });

  it('A new token lives a year when nothing is said, and malformed wishes are refused', async () => {
    const guild = await buildGuild();
    const { createdAt, expiresAt } = await made(guild, { name: 'long', role: 'viewer' });
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).to.equal(365 * dayMs);
    const wrong = { name: ' ', role: 'king', expiresInDays: 366, guildId: '*' };
    const { status, body } = await (await ownerOf(guild)).post(`${guild.path}/tokens`, wrong);
    expect(status).to.equal(400);
    const paths = body.errors.map(({ path }: { path: string }) => path);
    expect(paths).to.have.members(['name', 'role', 'expiresInDays', 'guildId']);
    expect(await named(guild)).to.have.members(['test owner', 'long']);
  });

  it('A new token has at most its maker’s own role', async () => {
    const guild = await buildGuild();
    const admin = (await buildTeammate(guild, 'admin')).api;
    const discordAdmin = (await buildDiscordAdmin(guild)).api;
    for (const caller of [admin, discordAdmin]) {
      const { status, body } = await caller.post(`${guild.path}/tokens`, { name: 'more', role: 'owner' });
      expect({ status, code: body.code }).to.deep.equal({ status: 403, code: 'forbidden' });
      await made(guild, { name: 'as much', role: 'admin' }, caller);
    }
    for (const role of ['manager', 'viewer'] as const) {
      const below = (await buildTeammate(guild, role)).api;
      expect((await below.post(`${guild.path}/tokens`, { name: 'x', role: 'viewer' })).status).to.equal(403);
    }
    expect((await named(guild)).filter((name) => name === 'as much')).to.have.length(2);
  });

  it('Only people make tokens: no token makes another, whatever its role', async () => {
    const guild = await buildGuild();
    const ofOwner = api((await made(guild, { name: 'first', role: 'owner' })).token);
    const platform = api(await tokenFor('*', 'owner'));
    for (const caller of [guild.api, ofOwner, platform, api(await tokenFor(guild.guildId, 'viewer'))]) {
      const { status, body } = await caller.post(`${guild.path}/tokens`, { name: 'second', role: 'viewer' });
      expect({ status, code: body.code }).to.deep.equal({ status: 403, code: 'forbidden' });
    }
    expect(await named(guild)).not.to.include('second');
  });

  it('A guild has at most 25 valid tokens, also for simultaneous requests', async () => {
    const guild = await buildGuild();
    const owner = await ownerOf(guild);
    const old = await made(guild, { name: 'expired', role: 'viewer' }, owner);
    const expiresAt = new Date(Date.now() - dayMs);
    await BotTokens.update({ guildId: guild.guildId, _id: old.tokenId }, { $set: { expiresAt } });
    const first: { tokenId: string }[] = [];
    for (let count = 0; count < 22; count += 1) first.push(await made(guild, { name: 'x', role: 'viewer' }, owner));
    const ask = () => owner.post(`${guild.path}/tokens`, { name: 'one more', role: 'viewer' });
    const answers = await Promise.all([ask(), ask(), ask()]);
    expect(answers.map(({ status, body }) => `${status} ${body.code ?? ''}`).sort()).to.deep.equal([
      '201 ',
      '201 ',
      '409 too_many_tokens',
    ]);
    await owner.delete(`${guild.path}/tokens/${first[0]?.tokenId}`);
    expect((await ask()).status).to.equal(201);
    expect((await ask()).body.detail).to.contain('at most 25 valid tokens');
  });
});

describe('Tokens of a person just after losing their role', () => {
  // AUTH-37
  it('A person losing their role during their request makes and revokes no token', async () => {
    const guild = await buildGuild();
    const { chatUserId, username } = await buildTeammate(guild, 'admin');
    const { tokenId } = await made(guild, { name: 'there', role: 'viewer' });
    const actor = chatUser(chatUserId, username, 'admin');
    await guild.api.patch(`${guild.path}/team/${chatUserId}`, { role: 'manager' });
    const wish = { name: 'too late', role: 'viewer', expiresInDays: 1 } as const;
    const refusals = [createToken(guild.guild, actor, wish), removeToken(guild.guild, actor, tokenId)];
    for (const refusal of refusals) {
      expect(await refusal.catch((error: unknown) => error)).to.be.instanceOf(Forbidden);
    }
    expect((await named(guild)).sort()).to.deep.equal(['test owner', 'there']);
  });
});

describe('The list of tokens', () => {
  it('The token list has the guild’s own tokens, those of the command line too, and no others', async () => {
    const [guild, other] = [await buildGuild(), await buildGuild()];
    await made(other, { name: 'other', role: 'viewer' });
    await made(guild, { name: 'mine', role: 'viewer' });
    await tokenFor('*', 'owner');
    expect((await named(guild)).sort()).to.deep.equal(['mine', 'test owner']);
  });

  it('The token list keeps an expired token for 30 days', async () => {
    const guild = await buildGuild();
    const { tokenId } = await made(guild, { name: 'old', role: 'viewer' });
    await purgeTokens(new Date(Date.now() + (365 + 29) * dayMs));
    expect(await named(guild)).to.include('old');
    const expiresAt = new Date(Date.now() - 31 * dayMs);
    await BotTokens.update({ guildId: guild.guildId, _id: tokenId }, { $set: { expiresAt } });
    await emptyOutboxes();
    await purgeTokens(clock.now());
    expect(await named(guild)).to.deep.equal(['test owner']);
    expect(await BotTokens.findOne({ guildId: guild.guildId, _id: tokenId })).to.equal(null);
  });
});

describe('Revoking tokens', () => {
  // AUTH-28
  it('Revoking a token revokes all tokens that came from it, once', async () => {
    const guild = await buildGuild();
    const parent = await made(guild, { name: 'parent', role: 'admin' });
    const child = await madeByToken(guild, parent.tokenId, 'child');
    const grandchild = await madeByToken(guild, child.tokenId, 'grandchild');
    const other = await made(guild, { name: 'other', role: 'viewer' });
    const path = `${guild.path}/tokens/${parent.tokenId}`;
    const answers = await Promise.all([guild.api.delete(path), guild.api.delete(path)]);
    expect(answers.map(({ status, body }) => `${status} ${body.code ?? ''}`).sort()).to.deep.equal([
      '204 ',
      '404 token_not_found',
    ]);
    for (const { token } of [parent, child, grandchild])
      expect((await api(token).get(guild.path)).status).to.equal(401);
    expect((await api(other.token).get(guild.path)).status).to.equal(200);
    expect((await named(guild)).sort()).to.deep.equal(['other', 'test owner']);
    const revoked = (await teamEntries(guild)).filter(({ action }) => action === 'token.revoked');
    // The leaves go first: an interrupted revocation can be asked for again, and leaves nothing without its maker.
    expect(revoked.map(({ target }) => target.name).reverse()).to.deep.equal(['grandchild', 'child', 'parent']);
  });

  it('Revoking a token takes a role not below the token’s, and finds no token of another guild', async () => {
    const [guild, other] = [await buildGuild(), await buildGuild()];
    const admin = (await buildTeammate(guild, 'admin')).api;
    const high = await made(guild, { name: 'high', role: 'owner' });
    const foreign = await made(other, { name: 'foreign', role: 'viewer' });
    const platformId = decodeJwt((await tokenFor('*', 'viewer')).slice(4)).sub;
    expect((await admin.delete(`${guild.path}/tokens/${high.tokenId}`)).status).to.equal(403);
    for (const id of [foreign.tokenId, platformId, `tok_${'0'.repeat(24)}`, high.tokenId.slice(4)]) {
      expect((await guild.api.delete(`${guild.path}/tokens/${id}`)).body.code).to.equal('token_not_found');
    }
    expect((await api(high.token).get(guild.path)).status).to.equal(200);
    expect((await api(foreign.token).get(other.path)).status).to.equal(200);
    expect((await guild.api.delete(`${guild.path}/tokens/${high.tokenId}`)).status).to.equal(204);
  });
});

describe('Tokens made by tokens', () => {
  // AUTH-28
  it('A token that another has made ends with it, and has no more rights than it', async () => {
    const guild = await buildGuild();
    const { guildId } = guild;
    const ends = [{ revokedAt: new Date() }, { expiresAt: new Date(Date.now() - 1) }];
    for (const end of ends) {
      const parent = await made(guild, { name: 'parent', role: 'manager', expiresInDays: 1 });
      const child = await madeByToken(guild, parent.tokenId, 'child');
      const grandchild = await madeByToken(guild, child.tokenId, 'grandchild');
      expect((await api(grandchild.token).get(guild.path)).body.role).to.equal('manager');
      // As a crash leaves it in the middle of a revocation, or time does.
      await BotTokens.update({ guildId, _id: parent.tokenId }, { $set: end });
      for (const { token } of [grandchild, child]) expect((await api(token).get(guild.path)).status).to.equal(401);
      expect(await named(guild))
        .not.to.include('grandchild')
        .and.not.to.include('child');
    }
  });
});

describe('Tokens of a maker without their former role', () => {
  const statusWith = async (guild: TestGuild, { token }: { token: string }) =>
    (await api(token).get(guild.path)).status;

  it('A token is revoked at its next use when its maker is no Discord admin any more', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const maker = await buildDiscordAdmin(guild);
    const used = await made(guild, { name: 'used', role: 'admin' }, maker.api);
    const unused = await made(guild, { name: 'unused', role: 'viewer' }, maker.api);
    expect(await statusWith(guild, used)).to.equal(200);
    discord.setMemberRoles(guild.guildId, maker.chatUserId, []);
    await eventually(async () => (await maker.api.get(guild.path)).status === 404, 'the loss');
    expect(await statusWith(guild, used)).to.equal(401);
    expect((await api(unused.token).get(guild.path)).status).to.equal(401);
    const entries = await teamEntries(guild);
    expect(entries.slice(0, 2).map(({ action, actor }) => `${action} ${actor.name}`)).to.deep.equal(
      Array(2).fill('token.revoked token-maker-check'),
    );
    expect(await named(guild)).to.deep.equal(['test owner']);
  });

  // AUTH-24
  for (const role of ['game', 'verifier']) {
    it(`A ${role} token ends when its maker may claim accounts no more`, async () => {
      const guild = await buildGuild();
      const maker = await buildTeammate(guild, 'admin');
      const { token } = await made(guild, { name: 'game', role }, maker.api);
      const body = { code: 'BCDFGH', gameUserId: '1' };
      const redeem = () => api(token).post(`${guild.path}/verification/game-codes/redeem`, body);
      expect((await redeem()).body.code).to.equal('game_code_not_valid');
      const demotion = (to: string) => guild.api.patch(`${guild.path}/team/${maker.chatUserId}`, { role: to });
      expect((await demotion('manager')).status).to.equal(200);
      expect((await redeem()).body.code).to.equal('game_code_not_valid');
      expect((await demotion('viewer')).status).to.equal(200);
      expect((await redeem()).status).to.equal(401);
      expect(await named(guild)).not.to.include('game');
    });
  }

  it('A token is refused once its maker has handed over the server', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const heir = await buildTeammate(guild, 'viewer');
    discord.join(guild.guildId, heir.chatUserId);
    const before = await asPerson({ chatUserId: guild.ownerId, username: 'owner' });
    const token = await made(guild, { name: 'of the owner', role: 'owner' }, before);
    expect(await statusWith(guild, token)).to.equal(200);
    discord.transferGuild(guild.guildId, heir.chatUserId);
    await eventually(async () => (await heir.api.get(guild.path)).body.role === 'owner', 'the new owner');
    expect(await statusWith(guild, token)).to.equal(401);
  });

  it('A token has no more rights than its maker has left', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const maker = await buildDiscordAdmin(guild);
    const token = await made(guild, { name: 'mine', role: 'admin' }, maker.api);
    const { chatUserId } = maker;
    await guild.api.post(`${guild.path}/team/invite`, { chatUserId, role: 'viewer' });
    discord.setMemberRoles(guild.guildId, chatUserId, []);
    await eventually(async () => (await maker.api.get(guild.path)).body.role === 'viewer', 'the loss');
    const mine = api(token.token);
    expect((await mine.get(guild.path)).body.role).to.equal('viewer');
    expect((await mine.get('/api/auth/me')).body.role).to.equal('viewer');
    expect((await mine.post(`${guild.path}/resync`, {})).status).to.equal(403);
    discord.setMemberRoles(guild.guildId, chatUserId, [maker.roleId]);
    await eventually(async () => (await mine.get(guild.path)).body.role === 'admin', 'what they have again');
  });

  it('A token is not revoked while the bot is away from the server', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const token = await made(guild, { name: 'kept', role: 'owner' });
    discord.removeBot(guild.guildId);
    await eventually(async () => (await statusWith(guild, token)) === 404, 'the leaving');
    expect((await api(token.token).get('/api/auth/me')).body).to.include({ tokenId: token.tokenId, role: 'owner' });
    discord.addBot(guild.guildId);
    await eventually(async () => (await statusWith(guild, token)) === 200, 'the coming');
  });

  // AUTH-27
  it('A token is refused for now, not revoked, while Discord does not return its maker’s permissions', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const maker = await buildDiscordAdmin(guild);
    const token = await made(guild, { name: 'kept', role: 'admin' }, maker.api);
    container.client.guilds.cache.get(guild.guildId)?.members.cache.delete(maker.chatUserId);
    discord.inject({ match: /GET .*\/members\/\d+$/, status: 503 });
    const { status, body } = await api(token.token).get(guild.path);
    discord.clearFaults();
    expect([status, body.code]).to.deep.equal([503, 'chat_platform_unavailable']);
    expect((await api(token.token).get(guild.path)).status).to.equal(200);
  });
});

/** As older versions let tokens make tokens. */
async function madeByToken({ guildId }: TestGuild, createdBy: string, name: string) {
  const { token, text } = await mintBotToken({ guildId, role: 'admin', name, createdBy });
  return { tokenId: token._id, token: text };
}
