import { mkdtemp, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { mongo } from 'mongoose';
import { findRunningEngine } from '../../src/platforms/database/engine-address.js';
import { endProcesses, type ServiceProcess, startProcess } from '../boot/service-process.js';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { freePort } from '../sandbox/kit/free-port.js';
import { removeFolder } from '../support/remove-folder.js';

/** Read while the service connects, and after it. */
const readAtStart = ['service_state', 'data_version', 'agendaJobs'];

describe('Damage to the embedded database at the start', () => {
  let discord: DiscordSandbox;
  let dataDir: string;
  let files: Map<string, string>;

  const start = async (): Promise<ServiceProcess> =>
    startProcess({
      ...{ DISCORD_TOKEN: discord.application.botToken, DISCORD_API_URL: discord.apiUrl },
      ...{ DATA_DIR: dataDir, PORT: String(await freePort()) },
    });

  async function readFiles(): Promise<Map<string, string>> {
    const uri = await findRunningEngine(join(dataDir, 'database'));
    const client = await new mongo.MongoClient(uri ?? '').connect();
    const stats = [{ $collStats: { storageStats: {} } }];
    const found = readAtStart.map(async (name): Promise<[string, string]> => {
      const [told] = await client.db('rolelink').collection(name).aggregate(stats).toArray();
      return [name, `${String(told?.storageStats.wiredTiger.uri).replace(/^.*table:/, '')}.wt`];
    });
    try {
      return new Map(await Promise.all(found));
    } finally {
      await client.close();
    }
  }

  /** Everything behind a file's head, as a failing disk leaves it. */
  async function spoil(name: string): Promise<Buffer> {
    const file = await open(join(dataDir, 'database', 'data', files.get(name) ?? ''), 'r+');
    const whole = await file.readFile();
    await file.write(Buffer.alloc(whole.length - 4096, 0xa5), 0, whole.length - 4096, 4096);
    await file.close();
    return whole;
  }

  before(async () => {
    discord = await startDiscordSandbox();
    dataDir = await mkdtemp(join(tmpdir(), 'rolelink-damage-'));
    const service = await start();
    await service.logged('ready');
    files = await readFiles();
    service.signal('SIGTERM');
    expect(await service.ended).to.equal(0);
  });
  after(async () => {
    await endProcesses();
    await Promise.all([discord.stop(), removeFolder(dataDir)]);
  });

  for (const name of readAtStart) {
    it(`A start with ${name} damaged ends with a sentence about the folder and the restore, without a stack`, async () => {
      const whole = await spoil(name);
      expect(whole.length).to.be.greaterThan(4096);
      const service = await start();
      expect(await service.ended).to.equal(1);
      const lines = service.lines();
      const words = [service.errors(), ...lines.flatMap(({ level, msg }) => (level === 60 ? msg : []))].join('\n');
      expect(words)
        .to.contain('its files are damaged')
        .and.contain(join(dataDir, 'database', 'data'))
        .and.contain('rolelink restore FILE')
        .and.not.match(/\n {4}at /);
      expect(lines.filter(({ level, err }) => level >= 40 && err !== undefined)).to.deep.equal([]);
      const file = await open(join(dataDir, 'database', 'data', files.get(name) ?? ''), 'r+');
      await file.write(whole, 0, whole.length, 0);
      await file.close();
    });
  }
});
