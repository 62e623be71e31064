import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { Status } from 'discord.js';
import { isKeptTrue } from '../../../src/platforms/discord/guild-facts.js';
import { readMember } from '../../../src/platforms/discord/guild-members.js';
import { privateWords } from '../../commands/private-answer.js';
import { buildSettledMember } from '../../features/sync/sync-setup.js';
import { asPerson, signIn } from '../../support/api.js';
import { buildGuild, buildMember, eventually, type TestGuild } from '../../support/build.js';
import { linesOf } from '../../support/logged-lines.js';
import { type World, world } from '../../support/world.js';

const notUnderstood = 'Discord answered in an undocumented format';

// SYNC-53, SYNC-54
describe('Answers that Discord does not document', () => {
  let discord: World['discord'];
  let guild: TestGuild;
  let undo = (): void => undefined;

  before(async () => {
    ({ discord } = await world());
  });
  beforeEach(async () => {
    guild = await buildGuild();
  });
  afterEach(() => {
    undo();
    undo = () => undefined;
    discord.clearFaults();
  });

  const cached = () => container.client.guilds.cache.get(guild.guildId);
  /** Without the gateway's cache, so that Discord is asked over REST. */
  const askOverRest = (): void => {
    const found = cached();
    if (found) found.available = false;
  };
  const without = (field: string) => (body: unknown) => ({ ...Object(body), [field]: undefined });
  const pageWithout = (field: string) => (body: unknown) => (body as unknown[]).map(without(field));

  for (const [flaw, match, reshape] of [
    ['a server without roles', /^GET .*\/guilds\/\d+$/, without('roles')],
    ['a server without @everyone', /^GET .*\/guilds\/\d+$/, (body: unknown) => ({ ...Object(body), roles: [] })],
    ['a server without an owner', /^GET .*\/guilds\/\d+$/, without('owner_id')],
    ['a server that is a page', /^GET .*\/guilds\/\d+$/, () => '<html>'],
    ['a member without a user', /^GET .*\/members\/\d+$/, without('user')],
    ['a member without roles', /^GET .*\/members\/\d+$/, without('roles')],
    ['nothing', /^GET .*\/members\/\d+$/, () => null],
  ] as const) {
    it(`An answer of Discord with ${flaw} makes a 502 in words, logged by its place`, async () => {
      askOverRest();
      discord.inject({ match, reshape });
      const lines = await linesOf(async () => {
        const { status, body } = await guild.api.get(`${guild.path}/roles`);
        expect({ status, code: body.code }).to.deep.equal({ status: 502, code: 'chat_platform_unavailable' });
        expect(body.detail).to.match(/^Discord sent an answer that Rolelink/);
      });
      if (!flaw.includes('@everyone')) expect(lines.map(({ msg }) => msg)).to.include(notUnderstood);
      expect(lines.filter(({ msg }) => msg === 'request failed')).to.deep.equal([]);
    });
  }

  it('Members without users in Discord’s answers make a preview a 502, and a sync takes nothing away', async () => {
    const role = discord.addRole(guild.guildId, { name: 'Kept' });
    const draft = { condition: { type: 'unverified' }, roleIds: [role.id] };
    expect((await guild.api.post(`${guild.path}/mappings`, draft)).status).to.equal(201);
    const { chatUserId } = await buildSettledMember(guild, { roleIds: [role.id] });
    discord.setMemberRoles(guild.guildId, chatUserId, [role.id]);
    discord.inject({ match: /^GET .*\/members$/, reshape: pageWithout('user') });
    discord.inject({ match: /^(GET|PATCH) .*\/members\/\d+$/, reshape: without('user') });
    expect((await guild.api.post(`${guild.path}/sync/preview`, {})).status).to.equal(502);
    expect((await guild.api.post(`${guild.path}/members/${chatUserId}/resync`)).status).to.equal(502);
    expect(discord.member(guild.guildId, chatUserId)?.roleIds).to.deep.equal([role.id]);
  });

  it('A sign-in is refused when Discord returns a malformed name or server', async () => {
    const chatUserId = guild.ownerId;
    for (const [match, reshape] of [
      [/^GET .*\/users\/(@|%40)me$/, without('username')],
      [/^GET .*\/users\/(@|%40)me\/guilds$/, pageWithout('permissions')],
    ] as const) {
      discord.inject({ match, reshape });
      expect((await signIn(chatUserId)).cookie).to.equal('');
      discord.clearFaults();
    }
    expect((await signIn(chatUserId)).cookie).to.not.equal('');
  });

  for (const [flaw, fault] of [
    ['a server that it does not know (10004)', { status: 404, code: 10_004 }],
    ['a person whom it does not know (10013)', { status: 404, code: 10_013 }],
    ['a path that somebody else does not know', { status: 404 }],
  ] as const) {
    it(`Discord’s 404 for ${flaw} does not count as having left; only 10007 does`, async () => {
      const { chatUserId } = await buildMember(guild);
      discord.inject({ match: /^GET .*\/members\/\d+$/, ...fault });
      const found = await readMember(guild.guildId, chatUserId).catch((error: Error) => error.name);
      expect(found).to.be.oneOf(['GoneFromDiscord', 'ChatPlatformUnreadable', 'NotFound']);
      discord.clearFaults();
      discord.leave(guild.guildId, chatUserId);
      expect(await readMember(guild.guildId, chatUserId)).to.equal(null);
    });
  }

  // SYNC-55
  it('A server that Discord brings back without `unavailable` is served from the cache again', async () => {
    undo = discord.reshapeEvents((event, data) => (event === 'GUILD_CREATE' ? without('unavailable')(data) : data));
    discord.invalidateSessions();
    await eventually(() => cached()?.available === false || cached()?.shard.status !== Status.Ready, 'the loss');
    await eventually(() => {
      const found = cached();
      return found !== undefined && isKeptTrue(found);
    }, 'the server');
    // A read over REST that began during the loss may still be under way.
    await eventually(async () => {
      discord.forgetRequests();
      expect((await guild.api.get(`${guild.path}/roles`)).status).to.equal(200);
      return discord.requests.every(({ path }) => !path.includes(guild.guildId));
    }, 'an answer from the cache');
  });

  // SYNC-56
  it('A server that the gateway sends without roles is asked over REST', async () => {
    undo = discord.reshapeEvents((event, data) => (event === 'GUILD_CREATE' ? without('roles')(data) : data));
    const other = await buildGuild();
    expect((await other.api.get(`${other.path}/roles`)).status).to.equal(200);
    const owner = await asPerson({ chatUserId: other.ownerId, username: 'owner' });
    expect((await owner.get(`${other.path}/roles`)).status).to.equal(200);
  });

  // SYNC-55
  it('/panel works where an interaction names its channel by id alone, and explains it where it names none', async () => {
    const panel = () => privateWords(discord.command(guild.guildId, guild.ownerId, 'panel'));
    const change = (fields: Record<string, undefined>) =>
      discord.reshapeEvents((event, data) => (event === 'INTERACTION_CREATE' ? { ...Object(data), ...fields } : data));
    undo = change({ channel: undefined });
    expect(await panel()).to.equal('Panel posted.');
    undo();
    undo = change({ channel: undefined, channel_id: undefined });
    expect(await panel()).to.contain("didn't say which channel");
    expect(discord.messages(discord.channel(guild.guildId).id)).to.have.length(1);
  });
});
