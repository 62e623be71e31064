import { expect } from 'chai';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { findPresentGuild, type Guild } from '../../../src/core/guilds/guild-service.js';
import { buildGuild, buildMember, buildPerson, eventually, linkPerson, type TestGuild } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { mapTo } from '../sync/sync-setup.js';
import { rolesBecome } from './roles-become.js';

describe('what is kept of a server', () => {
  let discord: World['discord'];

  before(async () => {
    ({ discord } = await world());
  });

  const stored = ({ guildId }: Pick<TestGuild, 'guildId'>) => GuildRecord.findById(guildId).lean<Guild>();
  const becomes = (guild: Pick<TestGuild, 'guildId'>, wanted: Partial<Guild>) =>
    eventually(async () => {
      const now = await stored(guild);
      return now !== null && Object.entries(wanted).every(([key, value]) => now[key as keyof Guild] === value);
    }, JSON.stringify(wanted));

  it('is made when the bot comes in', async () => {
    const { chatUserId: ownerId } = await buildPerson();
    const { id: guildId } = discord.addGuild({ name: 'Newcomers', ownerId, withBot: false });
    discord.join(guildId, (await buildPerson()).chatUserId);
    expect(await stored({ guildId })).to.equal(null);
    discord.addBot(guildId);
    await becomes({ guildId }, { name: 'Newcomers', present: true });
    const { joinedAt, outbox: _, ...guild } = (await stored({ guildId })) ?? {};
    expect(joinedAt?.getTime()).to.be.closeTo(Date.now(), 60_000);
    expect(guild).to.deep.equal({
      _id: guildId,
      name: 'Newcomers',
      searchName: 'newcomers',
      iconUrl: null,
      ownerId,
      memberCount: 3,
      plan: 'enterprise',
      state: 'active',
      present: true,
    });
  });

  it('follows a new name and a new owner', async () => {
    const guild = await buildGuild();
    const { chatUserId } = await buildMember(guild, { linked: false });
    discord.renameGuild(guild.guildId, 'Renamed');
    discord.transferGuild(guild.guildId, chatUserId);
    await becomes(guild, { name: 'Renamed', ownerId: chatUserId });
  });

  it('is kept when the bot is thrown out, not shown, and there again as it was when the bot returns', async () => {
    const guild = await buildGuild();
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { plan: 'pro', state: 'suspended' } });
    discord.removeBot(guild.guildId);
    await becomes(guild, { present: false });
    expect(await findPresentGuild(guild.guildId)).to.equal(null);
    expect((await guild.api.get(guild.path)).status).to.equal(404);
    expect((await guild.api.get('/api/guilds')).body.data).to.deep.equal([]);
    discord.addBot(guild.guildId);
    await becomes(guild, { present: true, plan: 'pro', state: 'suspended' });
    expect((await guild.api.get(guild.path)).status).to.equal(200);
  });

  for (const resumed of [true, false]) {
    it(`catches up after a ${resumed ? 'lost connection' : 'lost session'} with what happened meanwhile`, async function () {
      this.timeout(60_000);
      const [renamed, left, kept] = [await buildGuild(), await buildGuild(), await buildGuild()];
      const [roleId] = await mapTo(kept, { type: 'verified' });
      const person = await buildPerson();
      await linkPerson(null, person);
      const { chatUserId: ownerId } = await buildPerson();
      const { id: newcomer } = discord.addGuild({ name: 'Meanwhile', ownerId, withBot: false });
      discord.dropGateway(200);
      if (!resumed) discord.invalidateSessions();
      discord.renameGuild(renamed.guildId, 'Later');
      discord.removeBot(left.guildId);
      discord.addBot(newcomer);
      if (resumed) discord.join(kept.guildId, person.chatUserId);

      await eventually(async () => (await stored(renamed))?.name === 'Later', 'the new name', 20_000);
      await becomes(left, { present: false });
      await becomes({ guildId: newcomer }, { present: true, name: 'Meanwhile' });
      expect(await stored(kept)).to.include({ present: true });
      // Of a joining that happened between two sessions Discord tells nothing.
      if (!resumed) discord.join(kept.guildId, person.chatUserId);
      await rolesBecome(kept, person, [roleId ?? '']);
    });
  }
});
