import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import mongoose from 'mongoose';
import type { AuditEntry } from '../../src/core/audit/audit-model.js';
import type { GuildSettings } from '../../src/core/settings/guild-settings.js';
import { endProcesses, type ServiceProcess, signInAt, startProcess } from '../boot/service-process.js';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { type RobloxSandbox, startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { eventually } from '../support/build.js';
import { environmentFor, freePort, world } from '../support/world.js';
import { buildCrowd, type Crowd } from './resync-crowd.js';

const dbName = 'kick_kill';

describe('a service that is killed while it kicks somebody', function () {
  this.timeout(240_000);
  let discord: DiscordSandbox;
  let roblox: RobloxSandbox;
  let dataDir: string;
  let environment: Record<string, string>;
  let service: ServiceProcess;
  let crowd: Crowd;
  const collection = (name: string) => mongoose.connection.useDb(dbName, { useCache: true }).collection(name);

  before(async () => {
    const { database: engine } = await world();
    [discord, roblox, dataDir] = await Promise.all([
      startDiscordSandbox({ rateLimits: false }),
      startRobloxSandbox({ rateLimits: false }),
      mkdtemp(join(tmpdir(), 'rolelink-kick-')),
    ]);
    const mongodbUri = engine.uri.replace('/?', `/${dbName}?`);
    environment = environmentFor({ discord, roblox, port: await freePort(), dataDir, mongodbUri });
    environment.LOG_LEVEL = 'info';
    const { db } = mongoose.connection.useDb(dbName, { useCache: true });
    if (!db) throw new Error('The database is not connected.');
    crowd = await buildCrowd(2, { discord, roblox, database: db });
    const { id, permissions } = discord.botRole(crowd.guildId);
    discord.updateRole(crowd.guildId, id, { permissions: permissions | PermissionFlagsBits.KickMembers });
    await start();
    await eventually(() => collection('guilds').findOne({ present: true }), 'the guild');
  });
  after(async () => {
    discord.clearFaults();
    await endProcesses();
    await mongoose.connection.useDb(dbName, { useCache: true }).dropDatabase();
    await Promise.all([discord.stop(), roblox.stop(), rm(dataDir, { recursive: true, force: true })]);
  });

  /** Starts the service. What a killed process held is free by now, as it would be after a minute. */
  async function start(): Promise<void> {
    await collection('leases').updateMany({}, { $set: { until: new Date(0), owner: '' } });
    service = startProcess(environment, []);
    await service.logged('ready');
  }

  async function request(method: string, path: string, body?: object): Promise<Response> {
    const headers = await signInAt(service.url, discord, crowd.ownerId);
    const url = `${service.url}/api/guilds/${crowd.guildId}/${path}`;
    return fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  }

  /** Denies one person their place. */
  async function deny(chatUserId: string): Promise<void> {
    const member = await collection('members').findOne({ chatUserId });
    const settings: GuildSettings = JSON.parse(await (await request('GET', 'settings')).text());
    settings.restrictions = { ...settings.restrictions, action: 'kick', deniedGameUserIds: [member?.gameUserId] };
    expect((await request('PUT', 'settings', settings)).status).to.equal(200);
  }

  const isKick = ({ method, path }: { method: string; path: string }): boolean =>
    method === 'DELETE' && /\/members\/\d+$/.test(path);

  for (const [index, when] of (['before', 'after'] as const).entries()) {
    it(`${when} Discord has done it leaves exactly one entry of it`, async () => {
      const { chatUserId = '' } = crowd.members[index] ?? {};
      const isThere = () => discord.member(crowd.guildId, chatUserId) !== undefined;
      discord.forgetRequests();
      discord.inject({ match: /^DELETE .*\/members\/\d+$/, delayMs: 20_000, dropSocket: true, when });
      await deny(chatUserId);
      const kicking = request('POST', `members/${chatUserId}/resync`).catch(() => 'killed');
      await eventually(() => discord.requests.some(isKick) && (when === 'before' || !isThere()), 'the kick');
      service.signal('SIGKILL');
      await service.ended;
      expect(await kicking).to.equal('killed');
      discord.clearFaults();
      const owed = await collection('members').findOne({ chatUserId });
      expect(owed?.kicking?.entry?.action).to.equal('member.kicked');
      expect(owed).to.have.property('owedSync');
      await start();
      await collection('members').updateOne({ chatUserId }, { $set: { 'owedSync.dueAt': new Date(0) } });
      const isOver = async () => (await collection('members').findOne({ chatUserId }))?.kicking === undefined;
      await eventually(async () => !isThere() && (await isOver()), 'the end of the kick', 30_000);
      const kicks = { action: 'member.kicked', 'target.id': chatUserId };
      await eventually(() => collection('audit_log').findOne(kicks), 'the entry');
      const entries = await collection('audit_log').find<AuditEntry>(kicks).toArray();
      expect(entries).to.have.length(1);
      expect(entries[0]?.changes).to.deep.equal({ reason: { from: null, to: 'denied_user' } });
      const after = await collection('members').findOne({ chatUserId });
      expect(after).to.include({ present: false }).and.not.to.have.any.keys('kicking', 'owedSync');
    });
  }
});
