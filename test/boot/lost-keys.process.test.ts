import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import mongoose from 'mongoose';
import { loadConfig } from '../../src/config/config.js';
import { backUp } from '../../src/edges/cli/stored-data.js';
import { freePort } from '../sandbox/kit/free-port.js';
import { removeFolder } from '../support/remove-folder.js';
import { world } from '../support/world.js';
import { endProcesses, startProcess } from './service-process.js';

const scriptOf = (name: string) => fileURLToPath(new URL(`../../src/edges/cli/${name}.js`, import.meta.url));

// ENV-19, ENV-20
describe('Keys that do not match the data', () => {
  let dataDir: string;
  let environment: Record<string, string>;
  let keyFile: string;
  let client: mongoose.mongo.MongoClient;
  const dbName = `lost_keys_${process.pid}`;

  const start = async () => startProcess({ ...environment, PORT: String(await freePort()) });
  const startAndStop = async () => {
    const service = await start();
    await service.logged('ready');
    service.signal('SIGTERM');
    expect(await service.ended).to.equal(0);
  };
  const refusalOf = async (): Promise<string> => {
    const service = await start();
    expect(await service.ended).to.equal(1);
    expect(service.errors().trim()).to.not.contain('\n');
    return service.errors().trim();
  };
  const run = (script: string, ...args: string[]) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      execFile(process.execPath, [scriptOf(script), ...args], { env: environment }, (error, out, err) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out: out.trim(), err: err.trim() });
      });
    });

  before(async () => {
    const { database, environment: theirs } = await world();
    const { SECRETS_KEY: _, BOT_TOKEN_KEYS: __, ...without } = theirs;
    dataDir = await mkdtemp(join(tmpdir(), 'rolelink-lost-keys-'));
    keyFile = join(dataDir, 'keys.json');
    const MONGODB_URI = database.uri.replace(/\/[^/?]*(\?|$)/, `/${dbName}$1`);
    environment = { ...without, MONGODB_URI, DATA_DIR: dataDir, LOG_LEVEL: 'info' };
    client = await new mongoose.mongo.MongoClient(database.uri).connect();
  });
  after(async () => {
    await endProcesses();
    await client.db(dbName).dropDatabase();
    await client.close();
    await removeFolder(dataDir);
  });

  // ENV-21
  it('Missing keys end the start with the file’s name, are not made again, and can be restored from a backup', async () => {
    await startAndStop();
    const keys = await readFile(keyFile, 'utf8');
    const backup = join(dataDir, 'backup');
    await backUp(loadConfig(environment), backup);
    await rm(keyFile);
    expect(await refusalOf())
      .to.contain(`Bring back ${keyFile}`)
      .and.contain('rolelink keys --accept. Then every bot token ends');
    const token = await run('mint-token', '--guild', '*', '--role', 'viewer', '--name', 'new');
    expect(token).to.include({ code: 1, out: '' });
    expect(token.err).to.contain(`Bring back ${keyFile}`);
    expect(existsSync(keyFile)).to.equal(false);
    expect((await run('run-keys', '--from', backup)).out).to.contain(`were restored to ${keyFile}`);
    expect(await readFile(keyFile, 'utf8')).to.equal(keys);
    expect(await run('run-keys')).to.include({ code: 0, out: 'The keys match the stored data.' });
    await rm(keyFile);
    expect(await run('run-keys', '--accept')).to.include({ code: 0, err: '' });
    await startAndStop();
  });
});
