import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { endProcesses, type ServiceProcess, startProcess } from '../boot/service-process.js';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { freePort } from '../sandbox/kit/free-port.js';
import { eventually } from '../support/build.js';
import { removeFolder } from '../support/remove-folder.js';

/** Once it gets SIGUSR2, the process finds its disk full. */
const fullOnSignal = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const statfs = fs.promises.statfs;
  let free = 600_000_000;
  process.on('SIGUSR2', () => { free = 3_000_000; });
  fs.promises.statfs = async (path) => ({ ...(await statfs(path)), bsize: 1, bavail: free });
  syncBuiltinESMExports();`;

// ENV-8
describe('The end of the embedded database under a running service', () => {
  let discord: DiscordSandbox;
  let dataDir: string;
  let temporary: string;

  async function start(): Promise<ServiceProcess> {
    const environment = {
      ...{ DISCORD_TOKEN: discord.application.botToken, DISCORD_API_URL: discord.apiUrl },
      ...{ DATA_DIR: dataDir, TMPDIR: temporary, PORT: String(await freePort()) },
    };
    const options = ['--import', `data:text/javascript,${encodeURIComponent(fullOnSignal)}`];
    const service = startProcess(environment, options);
    await service.logged('ready');
    return service;
  }
  const engineOf = ({ pid }: ServiceProcess): number =>
    Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
  /** Waits until the service's n-th engine has its socket, which is before the service uses it. */
  async function socketOfEngine(n: number): Promise<void> {
    for (let sockets: string[] = []; sockets.length < n; await delay(1)) {
      const files = await readdir(temporary, { recursive: true });
      sockets = files.filter((file) => /embedded-mongodb-.*\.sock$/.test(file));
    }
  }
  /** Ends the engine as a damaged file does, by SIGABRT. */
  const abort = (service: ServiceProcess): void => void process.kill(engineOf(service), 'SIGABRT');
  /** The log's last lines, which must have no stack. */
  async function lastWords(service: ServiceProcess): Promise<string> {
    expect(await service.ended).to.equal(1);
    expect(service.errors()).to.equal('');
    const fatal = service.lines().filter(({ level }) => level === 60);
    expect(fatal).to.have.length(1);
    expect(fatal[0]).to.not.have.property('err');
    return fatal[0]?.msg ?? '';
  }

  before(async () => {
    discord = await startDiscordSandbox();
  });
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'rolelink-engine-ends-'));
    temporary = join(dataDir, 'tmp');
    await mkdir(temporary);
  });
  afterEach(async () => {
    await endProcesses();
    await removeFolder(dataDir);
  });
  after(() => discord.stop());

  it('A database that ends over damaged files ends the service with a sentence about folder and restore, without a stack', async () => {
    const service = await start();
    await truncate(join(dataDir, 'database', 'data', 'WiredTiger.wt'), 100);
    abort(service);
    expect(await lastWords(service))
      .to.contain('its files are damaged')
      .and.contain(join(dataDir, 'database', 'data'))
      .and.contain('rolelink restore FILE');
    expect(await readdir(temporary)).to.deep.equal([]);
  });

  it('A database that ends on a full disk ends the service with a sentence about the free space', async () => {
    const service = await start();
    abort(service);
    const engine = engineOf(service);
    await eventually(() => engineOf(service) !== engine && engineOf(service) > 0, 'the next engine');
    await service.logged('embedded database ended, restarting it');
    service.signal('SIGUSR2');
    abort(service);
    expect(await lastWords(service)).to.contain('its disk is full (3 MB free). Free some space');
  });

  it('A database killed by SIGKILL is opened again once; a second kill within a minute ends the service with a sentence about memory', async () => {
    const service = await start();
    const first = engineOf(service);
    process.kill(first, 'SIGKILL');
    await service.logged('embedded database ended, restarting it');
    await eventually(() => engineOf(service) !== first && engineOf(service) > 0, 'the next engine');
    await eventually(async () => (await fetch(`${service.url}/readyz`)).ok, 'the service to be ready');
    expect(service.lines().filter(({ level }) => level === 60)).to.deep.equal([]);
    process.kill(engineOf(service), 'SIGKILL');
    expect(await lastWords(service))
      .to.contain('was killed (SIGKILL)')
      .and.contain('Add memory')
      .and.contain(join(dataDir, 'database'));
    expect(await readdir(temporary)).to.deep.equal([]);
  });

  it('A database that is killed while it is being opened again ends the service, too', async () => {
    const service = await start();
    const first = engineOf(service);
    process.kill(first, 'SIGKILL');
    await eventually(() => engineOf(service) !== first && engineOf(service) > 0, 'the next engine');
    await socketOfEngine(2);
    process.kill(engineOf(service), 'SIGKILL');
    expect(await lastWords(service)).to.contain('was killed (SIGKILL)');
  });

  // ENV-9
  it('The embedded database leaves no temporary folder when the service is killed, alone or together with it', async () => {
    const service = await start();
    expect(await readdir(temporary)).to.have.length(1);
    service.signal('SIGKILL');
    await service.ended;
    await eventually(async () => (await readdir(temporary)).length === 0, 'the end of the folder');
    const second = await start();
    const engine = engineOf(second);
    process.kill(engine, 'SIGSTOP');
    second.signal('SIGKILL');
    process.kill(engine, 'SIGKILL');
    await second.ended;
    expect(await readdir(temporary)).to.have.length(1);
    const third = await start();
    expect(await readdir(temporary)).to.have.length(1);
    third.signal('SIGTERM');
    expect(await third.ended).to.equal(0);
    expect(await readdir(temporary)).to.deep.equal([]);
  });
});
