import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { latestVersion } from '../../../src/platforms/database/data-version.js';
import { endProcesses, signInAt, startProcess } from '../../boot/service-process.js';
import { type DiscordSandbox, startDiscordSandbox } from '../../sandbox/discord/discord-sandbox.js';
import { freePort } from '../../sandbox/kit/free-port.js';
import { sandboxEnvironment } from '../../sandbox/kit/sandbox-environment.js';
import { type RobloxSandbox, startRobloxSandbox } from '../../sandbox/roblox/roblox-sandbox.js';
import { type StripeSandbox, startStripeSandbox } from '../../sandbox/stripe/stripe-sandbox.js';
import { removeFolder } from '../../support/remove-folder.js';

const folder = new URL('../../../src/edges/cli/', import.meta.url);

const run = (script: string, env: Record<string, string>, ...args: string[]): Promise<{ code: number; out: string }> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [fileURLToPath(new URL(script, folder)), ...args],
      { env, cwd: tmpdir() },
      (error, out) => resolve({ code: typeof error?.code === 'number' ? error.code : 0, out }),
    );
  });

// ENV-38
describe('The report of the doctor', () => {
  let discord: DiscordSandbox;
  let roblox: RobloxSandbox;
  let stripe: StripeSandbox;
  let dataDir: string;
  let env: Record<string, string>;

  before(async () => {
    [discord, roblox, stripe, dataDir] = await Promise.all([
      startDiscordSandbox(),
      startRobloxSandbox({ rateLimits: false }),
      startStripeSandbox(),
      mkdtemp(join(tmpdir(), 'rolelink-canary-')),
    ]);
    env = {
      ...sandboxEnvironment(discord, roblox, stripe),
      PORT: String(await freePort()),
      DATA_DIR: dataDir,
      SECRETS_KEY: Buffer.from('canary-of-the-secrets-key-32byte').toString('base64'),
      BOT_TOKEN_KEYS: `canarykid:${'canary-of-the-bot-token-keys'.repeat(2)}`,
      METRICS_TOKEN: 'canary-of-the-metrics-token',
      PLATFORM_ADMINS: '100000000000000042',
    };
  });
  after(async () => {
    await endProcesses();
    await Promise.all([discord.stop(), roblox.stop(), stripe.stop(), removeFolder(dataDir)]);
  });

  /** Holds a report to the promise that it can be pasted into a public issue. */
  function expectNoSecret(report: string, ...names: string[]): void {
    const values = Object.entries(env).filter(([name]) => name !== 'PORT');
    const parts = values.flatMap(([, value]) => [value, ...value.split(/[,:/]+/)]).filter((part) => part.length > 7);
    const hidden = [...parts, ...names, tmpdir(), 'canary', '127.0.0.1', 'localhost'];
    expect(hidden.filter((each) => report.includes(each))).to.deep.equal([]);
    expect(report).not.to.match(/\d{15,}|https?:/);
  }

  it('The report names versions, platform, variables, findings and counts beside a running service, and nothing else', async () => {
    const owner = discord.addUser({ username: 'canary-owner' });
    discord.addGuild({ name: 'Canary server', ownerId: owner.id, botPermissions: 0n });
    const service = startProcess(env);
    await service.logged('ready');
    await signInAt(service.url, discord, owner.id);

    const { code, out } = await run('run-doctor.js', env, '--report');
    expect(out).to.match(/^Rolelink: \d+\.\d+\.\d+, commit ([0-9a-f]{12}|unknown)$/m);
    expect(out).to.match(new RegExp(`^Node: ${process.versions.node}, V8 .+$`, 'm'));
    expect(out)
      .to.match(/^Platform: \w+ \w+, .+, (no )?glibc/m)
      .and.match(/^Machine: \d+ processors, \d+ MB/m);
    expect(out).to.match(/^Set: .*BOT_TOKEN_KEYS, .*DATA_DIR, .*DISCORD_TOKEN/m);
    const version = latestVersion();
    expect(out).to.contain(`\nDatabase: embedded, data version ${version}, and this Rolelink knows ${version}\n`);
    expect(out)
      .to.match(/^ {2}Bot permissions: warning \(discord_permissions_missing\)$/m)
      .and.match(/^ {2}Disk: ok \(disk_ok\)$/m);
    expect(out)
      .to.match(/^ {2}guilds: 1$/m)
      .and.match(/^ {2}sessions: 1$/m);
    expect(out).to.contain('fault (discord_redirect_missing)').and.contain('fault (stripe_webhook_missing)');
    expect(code).to.equal(1);
    expectNoSecret(out, owner.id, 'canary-owner', 'Canary server');
  });

  it('The report names each variable with a refused value, and never the value', async () => {
    const { code, out } = await run('run-doctor.js', { ...env, PORT: 'canary', DISCORD_TOKEN: '' }, '--report');
    expect(code).to.equal(1);
    expect(out).to.match(/^Mistaken: (PORT, DISCORD_TOKEN|DISCORD_TOKEN, PORT)$/m);
    expectNoSecret(out);
  });

  it('A variable that Rolelink does not read is not named, since its name may be a secret', async () => {
    const { out } = await run('run-doctor.js', { ...env, CANARY_OF_ANOTHER: 'x', ROBLOX_APIKEY: 'y' }, '--report');
    expect(out).not.to.match(/CANARY|ROBLOX_APIKEY/);
    expectNoSecret(out);
  });

  it('The version is printed with the commit and Node', async () => {
    const { code, out } = await run('print-version.js', {});
    expect(code).to.equal(0);
    expect(out).to.match(/^Rolelink \d+\.\d+\.\d+, commit ([0-9a-f]{12}|unknown), on Node \d+\.\d+\.\d+\n$/);
  });
});
