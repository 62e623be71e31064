import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import mongoose from 'mongoose';
import { latestVersion } from '../../../src/platforms/database/data-version.js';
import { endProcesses, startProcess } from '../../boot/service-process.js';
import { type DiscordSandbox, startDiscordSandbox } from '../../sandbox/discord/discord-sandbox.js';
import { freePort } from '../../sandbox/kit/free-port.js';
import { noteEnvironment } from '../../support/log-canaries.js';
import { removeFolder } from '../../support/remove-folder.js';
import { world } from '../../support/world.js';

const scriptOf = (name: string) => fileURLToPath(new URL(`../../../src/edges/cli/${name}.js`, import.meta.url));

/** Kills the process, as a power cut would, when it calls a `node:fs` function on a backup for the nth time. */
const killedAt = (fn: string, nth: number): string[] => [
  '--import',
  `data:text/javascript,${encodeURIComponent(`
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    let calls = 0;
    const { ${fn.split('.').at(-1)}: real } = fs${fn.includes('.') ? '.promises' : ''};
    fs.${fn} = (...args) => String(args[0]).includes('.backup') && ++calls === ${nth} ? process.kill(process.pid, 'SIGKILL') : real(...args);
    syncBuiltinESMExports();`)}`,
];

// ENV-13
describe('Backup, restore and migration', () => {
  let discord: DiscordSandbox;
  let folder: string;
  let backup: string;
  let token: string;

  const environment = (dataDir: string) => ({
    DISCORD_TOKEN: discord.application.botToken,
    DISCORD_API_URL: discord.apiUrl,
    DATA_DIR: join(folder, dataDir),
  });
  /** Runs a command; `code` is null when the process was killed. */
  const run = (script: string, dataDir: string, args: string[], options: string[] = []) =>
    new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
      const env = environment(dataDir);
      execFile(process.execPath, [...options, scriptOf(script), ...args], { env }, (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
        resolve({ code, out, err });
      });
    });
  const serve = async (dataDir: string) => {
    const service = startProcess({ ...environment(dataDir), PORT: String(await freePort()) });
    noteEnvironment(environment(dataDir));
    await service.logged('ready');
    return service;
  };
  const isKnownAt = async (url: string) =>
    (await fetch(`${url}/api/auth/me`, { headers: { authorization: `Bot ${token}` } })).status === 200;

  before(async () => {
    discord = await startDiscordSandbox();
    folder = await mkdtemp(join(tmpdir(), 'rolelink-backup-'));
    backup = join(folder, 'first.backup');
  });
  after(async () => {
    await endProcesses();
    await Promise.all([discord.stop(), removeFolder(folder)]);
  });

  it('A backup of a running service is a file that only its owner may read', async () => {
    const service = await serve('old');
    token = (await run('mint-token', 'old', ['--guild', '*', '--role', 'viewer', '--name', 'kept'])).out.trim();
    expect(await isKnownAt(service.url)).to.equal(true);
    const { code, out, err } = await run('run-backup', 'old', [backup]);
    expect({ code, err }).to.deep.equal({ code: 0, err: '' });
    expect(out).to.match(/^\d+ documents were written to .*first\.backup\. It contains the keys/);
    expect((await stat(backup)).mode & 0o777).to.equal(0o600);
    expect(await run('run-backup', 'old', [backup])).to.include({
      code: 1,
      err: `${backup} is there already. Give another name.\n`,
    });
    // A restore needs the database for itself.
    const refused = await run('run-restore', 'old', [backup, '--replace']);
    expect(refused.code).to.equal(1);
    expect(refused.err).to.contain('Another process');
    service.signal('SIGTERM');
    expect(await service.ended).to.equal(0);
  });

  it('A backup that is killed leaves no half file under its name', async () => {
    const path = join(folder, 'second.backup');
    expect((await run('run-backup', 'old', [path], killedAt('promises.rename', 1))).code).to.equal(null);
    expect(await readdir(folder))
      .to.include('second.backup.part')
      .and.not.include('second.backup');
    expect((await run('run-backup', 'old', [path])).code).to.equal(0);
  });

  it('The service refuses a database that a killed restore left behind, until the restore is done again', async () => {
    const killed = await run('run-restore', 'new', [backup], killedAt('createReadStream', 2));
    expect(killed.code, killed.err).to.equal(null);
    const refused = startProcess({ ...environment('new'), PORT: String(await freePort()) });
    expect(await refused.ended).to.equal(1);
    expect(refused.errors().trim()).to.equal(
      'A restore into this database did not finish. Run `rolelink restore FILE` again.',
    );
    const { code, out, err } = await run('run-restore', 'new', [backup]);
    expect({ code, err }).to.deep.equal({ code: 0, err: '' });
    expect(out).to.match(/^\d+ documents from 20.* were restored\. Start the service\.\n$/);
    const service = await serve('new');
    expect(await isKnownAt(service.url)).to.equal(true);
    service.signal('SIGTERM');
    expect(await service.ended).to.equal(0);
  });

  it('A restore replaces data only with --replace', async () => {
    const { code, err } = await run('run-restore', 'new', [backup]);
    expect(code).to.equal(1);
    expect(err).to.contain('--replace');
    expect((await run('run-restore', 'new', [backup, '--replace'])).code).to.equal(0);
  });

  it('A restore refuses a damaged file, one that is cut off and another file, and touches nothing', async () => {
    const bytes = await readFile(backup);
    const damaged = Buffer.from(bytes);
    damaged.writeUInt8(damaged.readUInt8(200) ^ 0xff, 200);
    for (const [name, content] of Object.entries({ damaged, cut: bytes.subarray(0, -40), text: Buffer.from('text') })) {
      const path = join(folder, name);
      await writeFile(path, content);
      const { code, err } = await run('run-restore', 'new', [path, '--replace']);
      expect(code, name).to.equal(1);
      expect(err.trim().split('\n'), name).to.have.length(1);
      expect(err.trim(), name).to.equal(`${path} can't be restored: it is damaged, cut off, or no backup.`);
    }
    const missing = await run('run-restore', 'new', [join(folder, 'missing'), '--replace']);
    expect(missing.err).to.contain("can't be restored: ENOENT: no such file");
    expect((await run('mint-token', 'new', ['--revoke', 'tok_none'])).err).to.contain('There is no token');
  });

  it('A migration moves an embedded database to a server', async () => {
    const { database } = await world();
    const uri = database.uri.replace(/\/[^/?]*(\?|$)/, `/moved_${process.pid}$1`);
    const { code, out, err } = await run('run-migrate', 'new', ['--to', uri]);
    expect({ code, err }).to.deep.equal({ code: 0, err: '' });
    expect(out).to.contain('Now set MONGODB_URI');
    const client = await new mongoose.mongo.MongoClient(uri).connect();
    try {
      const moved = client.db(`moved_${process.pid}`);
      expect(await moved.collection('bot_tokens').countDocuments({ name: 'kept' })).to.equal(1);
      expect(await moved.collection('data_version').findOne()).to.deep.include({ version: latestVersion() });
      expect((await run('run-migrate', 'new', ['--to', uri])).err).to.contain(
        'That database already contains documents',
      );
      await moved.dropDatabase();
    } finally {
      await client.close();
    }
  });
});
