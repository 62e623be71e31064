import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import mongoose from 'mongoose';
import type { ResyncJob } from '../../src/features/sync/resync/resync-job-model.js';
import { endProcesses, type ServiceProcess, signInAt, startProcess } from '../boot/service-process.js';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { type RobloxSandbox, startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { eventually } from '../support/build.js';
import { environmentFor, freePort, world } from '../support/world.js';
import { buildCrowd, type Crowd, mapCrowd, postFrom, resyncCrowd, writesByMember } from './resync-crowd.js';

const kills = 6;
const dbName = 'resync_kill';

describe('a guild resync whose process is killed', function () {
  this.timeout(240_000);
  let discord: DiscordSandbox;
  let roblox: RobloxSandbox;
  let dataDir: string;
  let environment: Record<string, string>;
  const database = () => mongoose.connection.useDb(dbName, { useCache: true });
  const jobs = () => database().collection<ResyncJob>('resync_jobs');

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
    await database().dropDatabase();
    await Promise.all([discord.stop(), roblox.stop(), rm(dataDir, { recursive: true, force: true })]);
  });

  /** The service, ready. What a killed process held is free by now, as it would be after some seconds. */
  const ready = async (): Promise<ServiceProcess> => {
    await database()
      .collection('leases')
      .updateMany({}, { $set: { until: new Date(0), owner: '' } });
    // Source maps would make each of the seven starts longer by a quarter.
    const service = startProcess(environment, []);
    await service.logged('ready');
    return service;
  };
  const kill = async (service: ServiceProcess): Promise<void> => {
    service.signal('SIGKILL');
    await service.ended;
  };

  const startResync = async (service: ServiceProcess, crowd: Crowd): Promise<string> => {
    const post = postFrom(service.url, crowd, await signInAt(service.url, discord, crowd.ownerId));
    await mapCrowd(post, crowd);
    return resyncCrowd(post);
  };

  it('ends with everybody’s exact roles, and nobody is written to twice', async () => {
    const { db } = database();
    if (!db) throw new Error('The database is not connected.');
    const crowd = await buildCrowd(200, { discord, roblox, database: db });
    discord.inject({ match: /^(PUT|DELETE|PATCH) .*\/members\//, delayMs: 20 });
    roblox.inject({ match: /memberships/, delayMs: 150 });
    let service = await ready();
    await eventually(() => db.collection('guilds').findOne({ present: true }), 'the guild');
    const jobId = await startResync(service, crowd);
    let interrupted = 0;
    for (let times = 0; times < kills; times += 1) {
      await delay(50 + Math.random() * 600);
      await kill(service);
      if ((await jobs().findOne({ _id: jobId }))?.open) interrupted += 1;
      service = await ready();
    }
    const job = await eventually(() => jobs().findOne({ _id: jobId, state: 'completed' }), 'the end', 60_000);

    for (const { chatUserId, expected } of crowd.members) {
      expect(discord.member(crowd.guildId, chatUserId)?.roleIds.sort(), chatUserId).to.deep.equal(expected);
    }
    const writes = writesByMember(discord);
    const differing = crowd.members.filter(({ differs }) => differs);
    expect(new Set(writes.keys())).to.deep.equal(new Set(differing.map(({ chatUserId }) => chatUserId)));
    expect(Math.max(...writes.values())).to.be.at.most(2);
    expect([...writes.values()].filter((times) => times > 1).length).to.be.at.most(interrupted);
    expect(interrupted).to.be.greaterThan(1);
    expect(job.planned).to.include({ members: 201 });
    expect(job.applied.changed + job.applied.skipped).to.equal(differing.length);
    // They are removed after the job has ended.
    const noChangesLeft = async () => (await db.collection('resync_changes').countDocuments()) === 0;
    await eventually(noChangesLeft, 'the end of the changes');
    await kill(service);
  });
});
