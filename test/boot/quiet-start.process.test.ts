import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { freePort } from '../sandbox/kit/free-port.js';
import { sandboxEnvironment } from '../sandbox/kit/sandbox-environment.js';
import { type RobloxSandbox, startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { eventually } from '../support/build.js';
import { endProcesses, startProcess } from './service-process.js';

describe('the log of a start', function () {
  this.timeout(120_000);
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
    await rm(dataDir, { recursive: true });
  });

  it('warns of nothing while the bot connects and registers its commands', async () => {
    const port = await freePort();
    discord.registerRedirectUri(`http://localhost:${port}/api/auth/callback`);
    const service = startProcess({
      ...sandboxEnvironment(discord, roblox),
      PORT: String(port),
      DATA_DIR: dataDir,
      LOG_LEVEL: 'debug',
    });
    await service.logged('ready');
    // What Sapphire says last of the registration.
    const registered = () => service.messages().some((msg) => /Took \d+ms to initialize/.test(msg));
    await eventually(registered, 'the registration of the commands');
    expect(service.lines().filter(({ level, msg }) => level >= 40 || /undefined/.test(msg))).to.deep.equal([]);
  });
});
