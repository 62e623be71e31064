import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { freePort } from '../sandbox/kit/free-port.js';
import { sandboxEnvironment } from '../sandbox/kit/sandbox-environment.js';
import { type RobloxSandbox, startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { eventually } from '../support/build.js';
import { removeFolder } from '../support/remove-folder.js';
import { endProcesses, startProcess } from './service-process.js';

describe('The log of a start', () => {
  let discord: DiscordSandbox;
  let roblox: RobloxSandbox;
  let dataDir: string;
  before(async () => {
    [discord, roblox, dataDir] = await Promise.all([
      startDiscordSandbox(),
      startRobloxSandbox({ rateLimits: false }),
      mkdtemp(join(tmpdir(), 'rolelink-quiet-')),
    ]);
  });
  after(async () => {
    await endProcesses();
    await Promise.all([discord.stop(), roblox.stop()]);
    await removeFolder(dataDir);
  });

  /** Starts until the bot has registered its commands, stops again, and gives the lines that warn or name no command. */
  async function loudLines() {
    const port = await freePort();
    discord.registerRedirectUri(`http://localhost:${port}/api/auth/callback`);
    const service = startProcess({
      ...sandboxEnvironment(discord, roblox),
      PORT: String(port),
      DATA_DIR: dataDir,
      LOG_LEVEL: 'debug',
    });
    await service.logged('ready');
    // What Sapphire says last about the registration.
    const registered = () => service.messages().some((msg) => /Took \d+ms to initialize/.test(msg));
    await eventually(registered, 'the registration of the commands');
    service.signal('SIGTERM');
    expect(await service.ended).to.equal(0);
    return service.lines().filter(({ level, msg }) => level >= 40 || /undefined/.test(msg));
  }

  afterEach(() => discord.clearFaults());

  it('A start warns of nothing while the bot connects and registers its commands, at the first start and the next', async () => {
    expect(await loudLines()).to.deep.equal([]);
    expect(await loudLines()).to.deep.equal([]);
  });

  // The first is in Discord's OpenAPI document; the others are what a stand-in for Discord may say.
  const answers: readonly (readonly [string, (body: unknown) => unknown])[] = [
    ['null', () => null],
    ['no command', () => []],
    ['a command without a name', (body) => [...(Array.isArray(body) ? body : []), {}]],
    ['an object', () => ({})],
  ];
  for (const [title, reshape] of answers) {
    it(`A start warns of nothing when Discord answers ${title} to the registration of the commands`, async () => {
      discord.inject({ match: /^PUT .*\/commands$/, reshape });
      expect(await loudLines()).to.deep.equal([]);
    });
  }
});
