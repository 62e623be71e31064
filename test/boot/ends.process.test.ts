import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { freePort } from '../sandbox/kit/free-port.js';
import { sandboxEnvironment } from '../sandbox/kit/sandbox-environment.js';
import { type RobloxSandbox, startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { eventually } from '../support/build.js';
import { removeFolder } from '../support/remove-folder.js';
import { endProcesses, type ServiceProcess, startProcess } from './service-process.js';

/** Node's options for a process that runs this code before ours. */
const preloading = (code: string): string[] => [
  '--enable-source-maps',
  '--import',
  `data:text/javascript,${encodeURIComponent(code)}`,
];
const diskWith = (bytes: number): string[] =>
  preloading(`
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const statfs = fs.promises.statfs;
    fs.promises.statfs = async (path) => ({ ...(await statfs(path)), bsize: 1, bavail: ${bytes} });
    syncBuiltinESMExports();`);

// ENV-27
describe('Fatal faults of the process and its start', () => {
  let discord: DiscordSandbox;
  let roblox: RobloxSandbox;
  let dataDir: string;

  const start = async (changes: Record<string, string> = {}, options?: string[]): Promise<ServiceProcess> => {
    const port = String(await freePort());
    return startProcess({ ...sandboxEnvironment(discord, roblox), PORT: port, DATA_DIR: dataDir, ...changes }, options);
  };
  /** What it says in one line before it ends with 1. */
  const refusalOf = async (service: ServiceProcess): Promise<string> => {
    expect(await service.ended).to.equal(1);
    expect(service.errors().trim()).to.not.contain('\n');
    return service.errors().trim();
  };

  before(async () => {
    [discord, roblox] = await Promise.all([startDiscordSandbox(), startRobloxSandbox({ rateLimits: false })]);
  });
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'rolelink-ends-'));
  });
  afterEach(async () => {
    await endProcesses();
    await removeFolder(dataDir);
  });
  after(() => Promise.all([discord.stop(), roblox.stop()]));

  it('A signal to npm start stops the service, though npm’s shell does not hand it on', async () => {
    const port = String(await freePort());
    const command = fileURLToPath(new URL('../../../src/edges/cli/rolelink.cjs', import.meta.url));
    const set = { ...sandboxEnvironment(discord, roblox), PORT: port, DATA_DIR: dataDir, PATH: process.env.PATH };
    // The shell that npm starts, and a command behind it, so that no shell gives its place to Node.
    const shell = spawn('sh', ['-c', `node ${command} start; true`], {
      env: { ...set, npm_lifecycle_event: 'start' },
      stdio: 'pipe',
    });
    let output = '';
    shell.stdout.on('data', (chunk) => (output += chunk));
    const ended = once(shell.stdout, 'close');
    await eventually(() => output.includes('"ready"'), 'the start');
    shell.kill('SIGTERM');
    await ended;
    expect(output).to.contain('"signal":"SIGTERM"');
  });

  for (const [cause, fault] of [
    ['An uncaught error', "throw Object.assign(new Error('boom'), { token: 'cana' + 'ry' })"],
    ['An unhandled rejection', "void Promise.reject(Object.assign(new Error('boom'), { token: 'cana' + 'ry' }))"],
  ] as const) {
    it(`${cause} stops the service in order and is logged`, async () => {
      const service = await start({}, preloading(`process.on('SIGUSR2', () => { ${fault} })`));
      await service.logged('ready');
      service.signal('SIGUSR2');
      expect(await service.ended).to.equal(1);
      const told = service.lines().find(({ msg }) => msg === 'uncaught error, stopping');
      expect(told).to.include({ level: 60 });
      expect(told?.err).to.include({ type: 'Error', message: 'boom' });
      expect(JSON.stringify(service.lines())).to.not.contain('canary');
      expect(service.errors()).to.equal('');
      // The database was closed, which a process that falls over can't do.
      expect(existsSync(join(dataDir, 'database', 'address'))).to.equal(false);
    });
  }

  it('The service does not start with an intent that Discord does not grant', async () => {
    const strict = await startDiscordSandbox({ membersIntent: 'refused' });
    try {
      const changes = sandboxEnvironment(strict, roblox);
      expect(await refusalOf(await start(changes)))
        .to.contain('Server Members')
        .and.contain('Bot');
    } finally {
      await strict.stop();
    }
  });

  // ENV-7
  it('A first start with less than 500 MB free is refused, and leaves nothing behind', async () => {
    const words = await refusalOf(await start({}, diskWith(499_000_000)));
    expect(words).to.contain(dataDir).and.contain('DATA_DIR').and.contain('499 MB').and.contain('500 MB');
    expect(await readdir(dataDir)).to.not.include('database');
  });

  // ENV-6, ENV-7
  it('A full disk refuses a later start, and a disk that fills up is reported', async () => {
    const first = await start();
    await first.logged('ready');
    first.signal('SIGTERM');
    expect(await first.ended).to.equal(0);
    const second = await start({}, diskWith(400_000_000));
    await second.logged('ready');
    expect(second.lines().find(({ msg }) => msg.startsWith('disk is nearly full'))).to.include({
      level: 40,
      freeMB: 400,
    });
    second.signal('SIGTERM');
    expect(await second.ended).to.equal(0);
    const words = await refusalOf(await start({}, diskWith(1_000_000)));
    expect(words).to.contain(dataDir).and.contain('1 MB').and.contain('100 MB');
  });

  // ENV-45
  it('A processor that lacks instructions of the embedded database is named', async () => {
    const withoutAvx = preloading(`
      import processes from 'node:child_process';
      import { syncBuiltinESMExports } from 'node:module';
      processes.fork = () => processes.spawn('sh', ['-c', 'kill -ILL $$']);
      syncBuiltinESMExports();`);
    expect(await refusalOf(await start({}, withoutAvx)))
      .to.contain('no AVX')
      .and.contain('MONGODB_URI');
  });

  // ENV-6
  it('The service does not start with a disk that is full when the keys are written', async () => {
    const full = preloading(`
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      fs.writeFileSync = () => { throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }); };
      syncBuiltinESMExports();`);
    expect(await refusalOf(await start({}, full)))
      .to.contain(dataDir)
      .and.contain('disk is full');
  });

  for (const uri of ['', 'mongodb://127.0.0.1:9/nowhere']) {
    it(`The service does not start with a DATA_DIR that cannot be made, with ${uri === '' ? 'the embedded database' : 'a server'}`, async () => {
      const file = join(dataDir, 'file');
      await writeFile(file, '');
      const below = join(file, 'data');
      const words = await refusalOf(await start({ DATA_DIR: below, MONGODB_URI: uri }));
      expect(words).to.contain(below).and.contain('DATA_DIR').and.contain('ENOTDIR');
    });
  }

  // ENV-6
  it('The service does not start with a DATA_DIR that cannot be made even where it holds the database only', async () => {
    const file = join(dataDir, 'file');
    await writeFile(file, '');
    const keys = { SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'), BOT_TOKEN_KEYS: `k:${'s'.repeat(40)}` };
    const words = await refusalOf(await start({ ...keys, DATA_DIR: join(file, 'data') }));
    expect(words).to.contain(join(file, 'data')).and.contain('DATA_DIR').and.contain('ENOTDIR');
  });
});
