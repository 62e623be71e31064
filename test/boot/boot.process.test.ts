import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { freePort } from '../sandbox/kit/free-port.js';
import { sandboxEnvironment } from '../sandbox/kit/sandbox-environment.js';
import { type RobloxSandbox, startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { eventually } from '../support/build.js';
import { removeFolder } from '../support/remove-folder.js';
import { endProcesses, type ServiceProcess, signInAt, startProcess } from './service-process.js';

const statusOf = async (url: string, headers = {}) => (await fetch(url, { headers })).status;

// ENV-4, ENV-12
describe('The service as a process', () => {
  let discord: DiscordSandbox;
  let roblox: RobloxSandbox;
  let dataDir: string;
  let ownerId: string;
  let guildPath: string;
  let current: ServiceProcess | undefined;

  const environment = async (changes: Record<string, string> = {}): Promise<Record<string, string>> => ({
    ...sandboxEnvironment(discord, roblox),
    PORT: String(await freePort()),
    DATA_DIR: dataDir,
    // As `docker compose` passes on what `.env.example` leaves empty.
    SHARDS: '',
    ...changes,
  });
  const start = async (changes?: Record<string, string>): Promise<ServiceProcess> =>
    startProcess(await environment(changes));
  /** The one that is running on the folder, or else a new one, ready. */
  const ready = async (): Promise<ServiceProcess> => {
    current ??= await start();
    await current.logged('ready');
    return current;
  };
  const ended = (service: ServiceProcess): Promise<number | null> => {
    if (service === current) current = undefined;
    return service.ended;
  };
  const kill = (service: ServiceProcess): Promise<number | null> => {
    service.signal('SIGKILL');
    return ended(service);
  };
  const killCurrent = async (): Promise<void> => {
    if (current) await kill(current);
  };
  const addGroup = (url: string, headers: Record<string, string>, groupId: string) =>
    fetch(`${url}${guildPath}/groups`, { method: 'POST', headers, body: JSON.stringify({ groupId }) });
  const groupIds = async (url: string, headers: Record<string, string>): Promise<string[]> => {
    const answer = (await (await fetch(`${url}${guildPath}/groups`, { headers })).json()) as {
      data: { groupId: string }[];
    };
    return answer.data.map(({ groupId }) => groupId);
  };

  before(async () => {
    [discord, roblox, dataDir] = await Promise.all([
      startDiscordSandbox(),
      startRobloxSandbox({ rateLimits: false }),
      mkdtemp(join(tmpdir(), 'rolelink-boot-')),
    ]);
    ownerId = discord.addUser({ username: 'owner' }).id;
    guildPath = `/api/guilds/${discord.addGuild({ name: 'Boot', ownerId }).id}`;
  });
  afterEach(() => {
    discord.clearFaults();
    roblox.clearFaults();
  });
  after(async () => {
    await endProcesses();
    await Promise.all([discord.stop(), roblox.stop()]);
    await removeFolder(dataDir);
  });

  it('The service is ready on the embedded database, with nothing else set up, and idles in little memory', async () => {
    const first = await ready();
    const { msSinceStart: firstMs = Number.NaN, url } = await first.logged('ready');
    expect(url).to.equal(first.url.replace('localhost', '127.0.0.1'));
    expect(await statusOf(`${first.url}/readyz`)).to.equal(200);
    await delay(2_000);
    const memory = first.memory();
    await kill(first);
    const { msSinceStart: laterMs = Number.NaN } = await (await ready()).logged('ready');
    process.stdout.write(`      ready in ${firstMs} ms, later in ${laterMs} ms; idle with ${Math.round(memory)} MB\n`);
    expect(memory).to.be.within(20, 300);
    expect([firstMs, laterMs].every((ms) => ms > 0)).to.equal(true);
  });

  it('The service refuses to share its folder with a running one, and names the folder', async () => {
    const first = await ready();
    const second = await start();
    expect(await ended(second)).to.equal(1);
    expect(second.errors()).to.contain('Another process').and.to.contain(dataDir).and.to.contain('DATA_DIR');
    expect(second.errors().trim().split('\n')).to.have.length(1);
    expect(await statusOf(`${first.url}/readyz`)).to.equal(200);
  });

  it('The service refuses an occupied port with an explanation', async () => {
    const first = await ready();
    const other = await mkdtemp(join(tmpdir(), 'rolelink-boot-'));
    const second = await start({ PORT: new URL(first.url).port, DATA_DIR: other });
    expect(await ended(second)).to.equal(1);
    expect(second.errors())
      .to.contain(`127.0.0.1:${new URL(first.url).port}`)
      .and.to.contain('PORT');
    expect(second.errors().trim().split('\n')).to.have.length(1);
    await removeFolder(other);
  });

  it('The service refuses a wrong configuration with every mistake, before it touches anything', async () => {
    const folder = join(dataDir, 'untouched');
    const service = await start({ DATA_DIR: folder, PORT: 'x', DISCORD_TOKEN: '', LOG_LEVEL: 'loud' });
    expect(await ended(service)).to.equal(1);
    expect(service.errors().trim().split('\n')).to.deep.equal([
      'The configuration has errors (3):',
      '  PORT: must be a port number',
      '  LOG_LEVEL: must be trace, debug, info, warn, error or silent',
      '  DISCORD_TOKEN: is missing: the bot token of the Discord application',
      `There is no file ${join(tmpdir(), '.env')}.`,
    ]);
    expect(existsSync(folder)).to.equal(false);
  });

  it('A stopped service finishes its work, takes nothing new, and leaves the folder free', async () => {
    const service = await ready();
    const headers = await signInAt(service.url, discord, ownerId);
    const group = roblox.addGroup({ name: 'Slow' });
    const question = roblox.hold({ match: /groups/ });
    const slow = addGroup(service.url, headers, group.id);
    await question.reached;
    service.signal('SIGTERM');
    await service.logged('stopping');
    await delay(200);
    const late = await fetch(`${service.url}/healthz`, { headers: { connection: 'close' } }).then(
      ({ status }) => status,
      () => 'refused',
    );
    expect(late).to.equal('refused');
    question.letGo();
    expect((await slow).status).to.equal(201);
    expect(await ended(service)).to.equal(0);
    expect(service.errors()).to.equal('');
    const next = await ready();
    expect(await groupIds(next.url, headers)).to.include(group.id);
  });

  // ENV-26
  it('A killed service loses nothing that it has acknowledged', async () => {
    const service = await ready();
    const headers = await signInAt(service.url, discord, ownerId);
    const groups = Array.from({ length: 2 }, (_, index) => roblox.addGroup({ name: `Kept ${index}` }).id);
    const before = await groupIds(service.url, headers);
    for (const id of groups) expect((await addGroup(service.url, headers, id)).status).to.equal(201);
    await kill(service);
    const next = await ready();
    expect(await groupIds(next.url, headers)).to.have.members([...before, ...groups]);
    expect(await statusOf(`${next.url}/api/auth/me`, headers)).to.equal(200);
  });

  it('The next process immediately continues the work of a killed one', async () => {
    const service = await ready();
    const { id } = discord.addUser({ username: 'newcomer' });
    discord.join(guildPath.split('/').at(-1) ?? '', id);
    const resyncAt = async ({ url }: ServiceProcess) => {
      const headers = await signInAt(url, discord, ownerId);
      return () => fetch(`${url}${guildPath}/members/${id}/resync`, { method: 'POST', headers });
    };
    const resync = await resyncAt(service);
    await eventually(async () => (await resync()).ok, 'the newcomer');
    const question = discord.hold({ match: /^GET .*\/members\//, times: Number.POSITIVE_INFINITY });
    const underWay = resync().catch(() => 'killed');
    await question.reached;
    await kill(service);
    discord.clearFaults();
    expect(await underWay).to.equal('killed');
    const again = await resyncAt(await ready());
    expect((await again()).status).to.equal(200);
  });

  it('The service refuses to start with a rejected bot token, and explains it', async () => {
    await killCurrent();
    const service = await start({ DISCORD_TOKEN: `${discord.application.botToken.slice(0, -4)}AAAA` });
    expect(await ended(service)).to.equal(1);
    expect(service.errors().trim())
      .to.match(/^Discord rejects DISCORD_TOKEN\./)
      .and.not.to.contain('\n');
  });

  // API-46
  it('The service serves the API while Discord is down at its start, and connects when Discord returns', async () => {
    await killCurrent();
    discord.inject({ match: /gateway/, status: 503 });
    const service = await start();
    const told = await service.logged('Discord is unreachable');
    // ENV-46
    expect(Reflect.get(told, 'reason')).to.match(/ It answers 503\. Wait until it recovers\.$/);
    expect(told).to.not.have.property('err');
    expect(await statusOf(`${service.url}/healthz`)).to.equal(200);
    const answer = await fetch(`${service.url}/readyz`);
    expect({ status: answer.status, body: await answer.json() }).to.deep.equal({
      status: 503,
      body: { database: true, gateway: false, jobs: true, warnings: [] },
    });
    expect(await statusOf(`${service.url}/api/auth/me`)).to.equal(401);
    discord.clearFaults();
    await service.logged('ready');
    expect(await statusOf(`${service.url}/readyz`)).to.equal(200);
    service.signal('SIGTERM');
    expect(await ended(service)).to.equal(0);
  });

  it('The service can be stopped while Discord is down', async () => {
    await killCurrent();
    discord.inject({ match: /gateway/, dropSocket: true });
    const service = await start();
    await service.logged('Discord is unreachable');
    service.signal('SIGTERM');
    expect(await ended(service)).to.equal(0);
    expect(service.errors()).to.equal('');
    expect(service.messages()).to.include('stopping').and.not.to.include('ready');
  });
});
