import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import mongoose from 'mongoose';
import type { AuditEntry } from '../../src/core/audit/audit-model.js';
import { endProcesses, type ServiceProcess, signInAt, startProcess } from '../boot/service-process.js';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { type RobloxSandbox, startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { eventually } from '../support/build.js';
import { removeFolder } from '../support/remove-folder.js';
import { environmentFor, freePort, world } from '../support/world.js';

const dbName = 'catch_up_kill';
/** More than Discord lists in one page. */
const count = 1_100;
const withinMs = 120_000;

describe('A reconciliation with a killed process', () => {
  let discord: DiscordSandbox;
  let roblox: RobloxSandbox;
  let dataDir: string;
  let environment: Record<string, string>;
  const collection = (name: string) => mongoose.connection.useDb(dbName, { useCache: true }).collection(name);

  before(async () => {
    const { database: engine } = await world();
    [discord, roblox, dataDir] = await Promise.all([
      startDiscordSandbox({ rateLimits: false }),
      startRobloxSandbox({ rateLimits: false }),
      mkdtemp(join(tmpdir(), 'rolelink-kill-')),
    ]);
    const mongodbUri = engine.uri.replace('/?', `/${dbName}?`);
    environment = environmentFor({ discord, roblox, port: await freePort(), dataDir, mongodbUri });
    environment.LOG_LEVEL = 'info';
  });
  after(async () => {
    await endProcesses();
    await mongoose.connection.useDb(dbName, { useCache: true }).dropDatabase();
    await Promise.all([discord.stop(), roblox.stop(), removeFolder(dataDir)]);
  });

  /** Starts the service until it is ready. A killed process's leases have expired now, as after some seconds. */
  async function start(): Promise<ServiceProcess> {
    await collection('leases').updateMany({}, { $set: { until: new Date(0), owner: '' } });
    const service = startProcess(environment, []);
    await service.logged('ready');
    return service;
  }

  async function kill(service: ServiceProcess): Promise<void> {
    service.signal('SIGKILL');
    await service.ended;
  }

  /** A server with people that have known accounts and without a record there. */
  async function buildKnown(): Promise<{ guildId: string; ownerId: string; ids: string[] }> {
    const owner = discord.addUser({ username: 'known.owner' });
    const { id: guildId } = discord.addGuild({ name: 'Known', ownerId: owner.id });
    const accounts = Array.from({ length: count }, (_, index) => {
      const { id: chatUserId } = discord.addUser({ username: `known${index}` });
      const { id: gameUserId, username: gameUsername } = roblox.addUser({ username: `Known${index}` });
      discord.join(guildId, chatUserId, { nickname: gameUsername });
      const game = { gameUserId, gameUsername, gameDisplayName: gameUsername };
      return { _id: chatUserId, ...game, method: 'profile_code', linkedAt: new Date(), namesReadAt: new Date() };
    });
    await mongoose.connection
      .useDb(dbName, { useCache: true })
      .collection<{ _id: string }>('accounts')
      .insertMany(accounts);
    return { guildId, ownerId: owner.id, ids: accounts.map(({ _id }) => _id) };
  }

  it('The process after a killed reconciliation links everyone once, with one entry each', async () => {
    const { guildId, ownerId, ids } = await buildKnown();
    const linked = () => collection('members').countDocuments({ guildId, state: 'linked' });
    const page = new RegExp(`^GET .*/guilds/${guildId}/members$`);
    // The first page comes, the second not before the process is dead.
    discord.inject({ match: page, times: 1, delayMs: 0 });
    const letGo = discord.inject({ match: page, held: true });
    let service = await start();
    await eventually(() => collection('guilds').findOne({ present: true }), 'the guild');
    const headers = await signInAt(service.url, discord, ownerId);
    // It may already be pending and running.
    const asked = await fetch(`${service.url}/api/guilds/${guildId}/resync`, { method: 'POST', headers, body: '{}' });
    expect(asked.status).to.be.oneOf([202, 409]);
    await eventually(async () => (await linked()) > 0, 'the first links', withinMs);
    await kill(service);
    letGo();
    const between = await linked();
    expect(between).to.be.within(1, 1_000);

    service = await start();
    await eventually(async () => (await linked()) > between, 'further links', withinMs);
    await kill(service);

    service = await start();
    await eventually(async () => (await linked()) === count, 'all links', withinMs);
    const isOver = async () => (await collection('plans').countDocuments({ open: true })) === 0;
    await eventually(isOver, 'the end', withinMs);
    const entries = () => collection('audit_log').find<AuditEntry>({ guildId, action: 'member.linked' }).toArray();
    await eventually(async () => (await entries()).length >= count, 'the entries', withinMs);
    const filled = { 'outbox.0': { $exists: true } };
    const noneFilled = async () => (await collection('members').countDocuments(filled)) === 0;
    await eventually(noneFilled, 'empty outboxes', withinMs);
    expect((await entries()).map(({ target }) => target.id).sort()).to.deep.equal([...ids].sort());
    const members = await collection('members').find({ guildId, state: 'linked' }).toArray();
    expect(members.map(({ chatUserId }) => chatUserId).sort()).to.deep.equal([...ids].sort());
  });
});
