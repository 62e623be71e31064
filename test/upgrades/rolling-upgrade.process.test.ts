import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import mongoose from 'mongoose';
import type { StoredPlan } from '../../src/features/sync/plan/plan-model.js';
import { checkBackup } from '../../src/platforms/database/backup-file.js';
import { latestVersion } from '../../src/platforms/database/data-version.js';
import { endProcesses, entry, type ServiceProcess, signInAt, startProcess } from '../boot/service-process.js';
import { buildCrowd, type Crowd, mapCrowd, postFrom, resyncCrowd } from '../faults/resync-crowd.js';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { type RobloxSandbox, startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { eventually } from '../support/build.js';
import { removeFolder } from '../support/remove-folder.js';
import { environmentFor, freePort, world } from '../support/world.js';

const dbName = 'rolling_upgrade';
const newerService = [fileURLToPath(new URL('newer-child.js', import.meta.url))];

// ENV-93
describe('An upgrade of two processes one by one, with newer stored data', () => {
  let [discord, roblox] = [] as unknown as [DiscordSandbox, RobloxSandbox];
  let dataDir: string;
  const database = () => mongoose.connection.useDb(dbName, { useCache: true });
  const versions = () => database().collection<{ _id: string; version: number }>('data_version');
  const stored = () => versions().findOne({ _id: 'data' });

  before(async () => {
    [discord, roblox, dataDir] = await Promise.all([
      startDiscordSandbox({ rateLimits: false }),
      startRobloxSandbox({ rateLimits: false }),
      mkdtemp(join(tmpdir(), 'rolelink-rolling-')),
    ]);
  });
  after(async () => {
    await endProcesses();
    await database().dropDatabase();
    await Promise.all([discord.stop(), roblox.stop(), removeFolder(dataDir)]);
  });

  const start = async (shards: string, script?: readonly string[], more: object = {}): Promise<ServiceProcess> => {
    const { database: engine } = await world();
    const mongodbUri = engine.uri.replace('/?', `/${dbName}?`);
    const environment = environmentFor({ discord, roblox, port: await freePort(), dataDir, mongodbUri });
    return startProcess({ ...environment, LOG_LEVEL: 'info', SHARDS: shards, ...more }, [], script);
  };
  const poster = async ({ url }: ServiceProcess, crowd: Crowd) =>
    postFrom(url, crowd, await signInAt(url, discord, crowd.ownerId));
  const messages = (service: ServiceProcess): string => service.messages().join('\n');

  it('Older processes end by themselves before a newer one changes the data, and no sync is lost', async () => {
    const older = [await start('0-0/2'), await start('1-1/2')] as const;
    for (const each of older) await each.logged('ready');
    const { db } = database();
    if (!db) throw new Error('The database is not connected.');
    const crowd = await buildCrowd(12, { discord, roblox, database: db });
    await eventually(() => database().collection('guilds').findOne({ present: true }), 'the guild');
    const post = await poster(older[0], crowd);
    await mapCrowd(post, crowd);
    const jobId = await resyncCrowd(post);

    const first = await start('0-0/2', newerService);
    expect(await Promise.all(older.map(({ ended }) => ended))).to.deep.equal([1, 1]);
    const version = latestVersion() + 1;
    for (const each of older) expect(messages(each)).to.contain(`upgrades the stored data to version ${version}`);
    await first.logged('ready');
    expect(first.messages().slice(0, first.messages().indexOf('ready'))).to.include.members([
      'an upgrade of the stored data waits for the older processes to end',
      'migrating stored data',
    ]);
    expect(await stored()).to.deep.equal({ _id: 'data', version });

    const second = await start('1-1/2', newerService);
    await second.logged('ready');
    expect(messages(second)).to.not.contain('waits for the older processes');
    const jobs = database().collection<StoredPlan>('plans');
    await eventually(() => jobs.findOne({ _id: jobId, state: 'completed' }), 'the resync');
    for (const { chatUserId, expected } of crowd.members) {
      expect(discord.member(crowd.guildId, chatUserId)?.roleIds.sort(), chatUserId).to.deep.equal(expected);
    }
    for (const each of [first, second]) {
      each.signal('SIGTERM');
      expect(await each.ended).to.equal(0);
    }
  });

  it('An older process does not start after a newer one was killed in the middle of its changes', async () => {
    await versions().updateOne({ _id: 'data' }, { $set: { version: latestVersion() } });
    const stuck = await start('0-0/2', newerService, { STUCK: '1' });
    await stuck.logged('half-way');
    stuck.signal('SIGKILL');
    await stuck.ended;
    const older = await start('1-1/2');
    expect(await older.ended).to.equal(1);
    expect(older.errors()).to.contain('Start the newer Rolelink again, or restore a backup');

    await database().collection('leases').deleteMany({});
    const newer = await start('0-0/2', newerService);
    await newer.logged('ready');
    expect(await stored()).to.deep.equal({ _id: 'data', version: latestVersion() + 1 });
    newer.signal('SIGTERM');
    expect(await newer.ended).to.equal(0);
  });

  // ENV-94
  it('A start backs up the data before it upgrades them, once', async () => {
    const version = latestVersion();
    const folder = await mkdtemp(join(dataDir, 'backups-'));
    const runOnce = async (): Promise<string> => {
      const service = await start('0-1/2', [entry, '--backup', folder]);
      await service.logged('ready');
      service.signal('SIGTERM');
      expect(await service.ended).to.equal(0);
      return service.output();
    };
    for (const [stored, writes] of [
      [version - 1, true],
      [version - 1, false],
      [version, false],
    ] as const) {
      await versions().updateOne({ _id: 'data' }, { $set: { version: stored } });
      expect(/documents were written to/.test(await runOnce())).to.equal(writes);
      expect(await readdir(folder)).to.deep.equal([`before-data-${version}`]);
    }
    expect((await checkBackup(join(folder, `before-data-${version}`))).version).to.equal(version - 1);
  });
});
