import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import mongoose from 'mongoose';
import { endProcesses, type ServiceProcess, startProcess } from '../boot/service-process.js';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { type RobloxSandbox, startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { removeFolder } from '../support/remove-folder.js';
import { environmentFor, freePort, world } from '../support/world.js';

const dbName = 'shards_of_processes';
const doctor = fileURLToPath(new URL('../../src/edges/cli/run-doctor.js', import.meta.url));

describe('The shards of several processes', () => {
  let [discord, roblox] = [] as unknown as [DiscordSandbox, RobloxSandbox];
  let dataDir: string;
  const database = () => mongoose.connection.useDb(dbName, { useCache: true });
  const rows = () => database().collection<{ _id: string; seenAt: Date }>('service_state');
  const held = async () =>
    (
      await rows()
        .find({ _id: /^shards / })
        .toArray()
    )
      .map(({ _id }) => _id)
      .sort();

  before(async () => {
    [discord, roblox, dataDir] = await Promise.all([
      startDiscordSandbox({ rateLimits: false }),
      startRobloxSandbox({ rateLimits: false }),
      mkdtemp(join(tmpdir(), 'rolelink-shards-')),
    ]);
  });
  after(async () => {
    await endProcesses();
    await database().dropDatabase();
    await Promise.all([discord.stop(), roblox.stop(), removeFolder(dataDir)]);
  });

  const environment = async (shards: string): Promise<Record<string, string>> => {
    const { database: engine } = await world();
    const mongodbUri = engine.uri.replace('/?', `/${dbName}?`);
    const common = environmentFor({ discord, roblox, port: await freePort(), dataDir, mongodbUri });
    return { ...common, LOG_LEVEL: 'info', SHARDS: shards };
  };
  const start = async (shards: string): Promise<ServiceProcess> => {
    const service = startProcess(await environment(shards), []);
    await service.logged('ready');
    return service;
  };
  /** The text that a refused start prints. */
  const refusal = async (shards: string): Promise<string> => {
    const service = startProcess(await environment(shards), []);
    expect(await service.ended, service.output()).to.equal(1);
    return service.errors().trim();
  };
  const end = async (service: ServiceProcess): Promise<void> => {
    service.signal('SIGTERM');
    expect(await service.ended).to.equal(0);
  };
  const gaps = async ({ url }: ServiceProcess): Promise<string | undefined> =>
    /^rolelink_shard_gaps (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1];
  const examine = async (): Promise<string> =>
    promisify(execFile)(process.execPath, [doctor], { env: await environment('0-0/3'), cwd: tmpdir() }).then(
      ({ stdout }) => stdout,
      ({ stdout }: { stdout: string }) => stdout,
    );

  it('Processes that start at once get all shards, though Discord invalidates sessions that came too early', async () => {
    discord.limitIdentifies(1);
    const services = await Promise.all(['0-1/4', '2-3/4'].map(start));
    await discord.ready();
    expect(discord.refusedIdentifies).to.be.greaterThan(0);
    expect(await Promise.all(services.map(gaps))).to.deep.equal(['0', '0']);
    await Promise.all(services.map(end));
    discord.limitIdentifies(undefined);
  });

  // ENV-89, ENV-90
  it('A start with shards of another process is refused, a restart takes over, and a gap is told', async () => {
    const first = await start('0-1/3');
    const overlap = await refusal('1-2/3');
    expect(overlap).to.contain('SHARDS=1-2/3 overlaps the SHARDS=0-1/3 of another process').and.not.contain('\n');
    expect(await refusal('2-2/4')).to.contain('SHARDS=2-2/4 has another total than the SHARDS=0-1/3');
    expect(await refusal('')).to.contain('SHARDS=0-0/1, which an empty SHARDS means, has another total');
    expect(await held()).to.deep.equal(['shards 0-1/3']);

    const restarted = await start('0-1/3');
    await end(first);
    expect(await held()).to.deep.equal(['shards 0-1/3']);
    expect(await gaps(restarted)).to.equal('1');
    expect(await examine()).to.contain('No process has the shards 2-2/3. [shards_missing]');

    const rest = await start('2-2/3');
    expect(await gaps(restarted)).to.equal('0');
    expect(await examine()).not.to.contain('shards_missing');
    await end(rest);
    expect(await held()).to.deep.equal(['shards 0-1/3']);

    // A killed process counts for two minutes.
    restarted.signal('SIGKILL');
    await restarted.ended;
    expect(await refusal('1-2/3')).to.contain('a killed one counts for 120 s');
    await rows().updateOne({ _id: 'shards 0-1/3' }, { $set: { seenAt: new Date(Date.now() - 121_000) } });
    await end(await start('0-2/3'));
    expect(await held()).to.deep.equal(['shards 0-1/3']);
  });
});
