import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { Events, GatewayDispatchEvents } from 'discord.js';
import { mongo, trusted } from 'mongoose';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { findPresentGuild, type Guild } from '../../../src/core/guilds/guild-service.js';
import { orReconcile } from '../../../src/core/guilds/missed-events.js';
import { guildEventQueue } from '../../../src/platforms/discord/guild-event-queue.js';
import { withPromptSyncs } from '../../support/background.js';
import {
  buildGuild,
  buildMember,
  buildPerson,
  eventually,
  knownGuild,
  linkPerson,
  skipReconciliations,
  type TestGuild,
} from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { caughtUp } from '../sync/reconciliation-setup.js';
import { mapTo } from '../sync/sync-setup.js';
import { rolesBecome } from './roles-become.js';

/** Node's error about a command that the driver sends on a closing connection. */
const ended = Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' });

describe('The record of a server', () => {
  withPromptSyncs();
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

  it('A server’s record is made when the bot comes in', async () => {
    const { chatUserId: ownerId } = await buildPerson();
    const { id: guildId } = discord.addGuild({ name: 'Newcomers', ownerId, withBot: false });
    discord.join(guildId, (await buildPerson()).chatUserId);
    expect(await stored({ guildId })).to.equal(null);
    discord.addBot(guildId);
    await becomes({ guildId }, { name: 'Newcomers', present: true });
    const { joinedAt, keptAt, outbox: _, ...guild } = await knownGuild(guildId);
    expect(joinedAt.getTime()).to.be.closeTo(Date.now(), 60_000);
    expect(keptAt?.getTime()).to.be.closeTo(Date.now(), 60_000);
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

  it('A server’s record follows a new name and a new owner', async () => {
    const guild = await buildGuild();
    const { chatUserId } = await buildMember(guild, { linked: false });
    discord.renameGuild(guild.guildId, 'Renamed');
    discord.transferGuild(guild.guildId, chatUserId);
    await becomes(guild, { name: 'Renamed', ownerId: chatUserId });
  });

  it('A server’s record is kept, not shown, while the bot is thrown out, and returns with it', async () => {
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

  // A new session enqueues a reconciliation for every guild in this run.
  afterEach(() => skipReconciliations());

  for (const resumed of [true, false]) {
    it(`A server’s record includes changes from the gap after a ${resumed ? 'lost connection' : 'lost session'}`, async () => {
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

      await eventually(async () => (await stored(renamed))?.name === 'Later', 'the new name');
      await becomes(left, { present: false });
      await becomes({ guildId: newcomer }, { present: true, name: 'Meanwhile' });
      expect(await stored(kept)).to.include({ present: true });
      // discord.js would keep one that a session does not list, and then say nothing about its return.
      discord.addBot(left.guildId);
      await becomes(left, { present: true });
      // Discord does not report a join between two sessions.
      if (!resumed) discord.join(kept.guildId, person.chatUserId);
      await rolesBecome(kept, person, [roleId ?? '']);
    });
  }

  it('A new Discord session enqueues a reconciliation of every server, which finds joins from the gap', async () => {
    const guild = await buildGuild();
    const [roleId] = await mapTo(guild, { type: 'verified' });
    const person = await buildPerson();
    await linkPerson(null, person);
    discord.dropGateway(200);
    discord.invalidateSessions();
    discord.join(guild.guildId, person.chatUserId);
    await eventually(async () => (await stored(guild))?.catchUpSince, 'the debt');
    await caughtUp(guild);
    await rolesBecome(guild, person, [roleId ?? '']);
  });

  it('A Discord session that does not list a server marks it left, unless the bot came back to it since', async () => {
    const [left, back] = [await buildGuild(), await buildGuild()];
    const others = { present: true, _id: trusted({ $nin: [left.guildId, back.guildId] }) };
    const guilds = (await GuildRecord.find(others, { _id: 1 }).lean<Guild[]>()).map(({ _id: id }) => ({ id }));
    const { client } = container;
    let release = () => {};
    const held = guildEventQueue.add(back.guildId, () => new Promise<void>((resolve) => (release = resolve)));
    client.ws.emit(GatewayDispatchEvents.Ready, { guilds, shard: [0, 1] });
    client.emit(Events.GuildCreate, await client.guilds.fetch(back.guildId));
    release();
    await held;
    await becomes(left, { present: false });
    await guildEventQueue.add(back.guildId, async () => {});
    expect(await stored(back)).to.include({ present: true });
  });

  for (const [effect, away] of [
    ['not be stored', new mongo.MongoNetworkError('away')],
    ['not be sent on a connection that is just being closed', ended],
  ] as const) {
    it(`A server gets a pending reconciliation for an event that could ${effect}`, async () => {
      const guild = await buildGuild();
      const refused = await orReconcile(guild.guildId, () => Promise.reject(away)).catch((error: unknown) => error);
      expect(refused).to.equal(away);
      await eventually(async () => (await stored(guild))?.catchUpSince, 'the debt');
    });
  }
});
