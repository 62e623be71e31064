import { expect } from 'chai';
import { config, useConfig } from '../../../src/config/config.js';
import { plans } from '../../../src/core/plans/plans.js';
import { api, signIn } from '../../support/api.js';
import { buildGuild } from '../../support/build.js';
import { world } from '../../support/world.js';

// API-58
describe('The installation in the API', () => {
  it('The API publishes the set-up without a secret', async () => {
    await world();
    const { status, body } = await api('').get('/api/info');
    expect(status).to.equal(200);
    expect(body.version).to.match(/^\d+\.\d+\.\d+/);
    expect(body.commit).to.match(/^([0-9a-f]{12}|unknown)$/);
    expect(body).to.include({ signIn: true, robloxSignIn: true, billing: true, webhookDelivery: 'live' });
    expect(body.inviteUrl).to.match(/^https:\/\/discord\.com\/oauth2\/authorize\?client_id=\d+&/);
    expect(body.plans.map(({ name }: { name: string }) => name)).to.deep.equal(['free', 'pro', 'enterprise']);
    expect(body.plans[1].limits).to.deep.equal(plans.pro);
    expect(body.languages).to.include.members(['en', 'pt-BR', 'tr']);
    expect(JSON.stringify(body)).not.to.match(/secret|token|key"?:"/i);
  });

  it('The API publishes the missing parts of the set-up', async () => {
    await world();
    const whole = config();
    const { oauth: _, apiKey: __, ...roblox } = whole.roblox;
    useConfig({ ...whole, roblox, stripe: undefined, webhookDelivery: 'held' });
    try {
      const { body } = await api('').get('/api/info');
      expect(body).to.include({ robloxSignIn: false, robloxKey: false, billing: false, webhookDelivery: 'held' });
    } finally {
      useConfig(whole);
    }
  });
});

describe('Servers without the bot', () => {
  // AUTH-14
  it('The API names servers that the person manages without the bot, with a link that adds it there', async () => {
    const { discord } = await world();
    const guild = await buildGuild({ name: 'With the bot' });
    const bare = discord.addGuild({ name: 'Without the bot', ownerId: guild.ownerId, withBot: false });
    const others = discord.addGuild({
      name: 'Of others',
      ownerId: discord.addUser({ username: 'others.owner' }).id,
      withBot: false,
    });
    discord.join(others.id, guild.ownerId);
    const owner = await signIn(guild.ownerId);
    const { status, body } = await owner.get('/api/auth/me/servers');
    expect(status).to.equal(200);
    const [found, ...more] = body.data;
    expect(more).to.deep.equal([]);
    expect(found).to.include({ guildId: bare.id, name: 'Without the bot', iconUrl: null });
    expect(new URL(found.inviteUrl).searchParams.get('guild_id')).to.equal(bare.id);
  });

  it('The API shows servers without the bot to people alone, not to tokens', async () => {
    const guild = await buildGuild();
    expect((await guild.api.get('/api/auth/me/servers')).status).to.equal(403);
    expect((await api('').get('/api/auth/me/servers')).status).to.equal(401);
  });
});

describe('The sessions of a person', () => {
  // API-23
  it('The API lists a person’s sessions, and marks the one that asks', async () => {
    const guild = await buildGuild();
    const [first, second] = [await signIn(guild.ownerId), await signIn(guild.ownerId)];
    const list = async (caller: typeof first) => (await caller.get('/api/auth/me/sessions')).body.data;
    expect((await list(first)).map(({ current }: { current: boolean }) => current)).to.have.members([true, false]);
    await second.post('/api/auth/logout');
    expect(await list(first)).to.have.length(1);
  });
});
