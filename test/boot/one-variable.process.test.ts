import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createContractChecker } from '../contracts/contract-checker.js';
import {
  type DiscordSandbox,
  type DiscordSandboxOptions,
  startDiscordSandbox,
} from '../sandbox/discord/discord-sandbox.js';
import { freePort } from '../sandbox/kit/free-port.js';
import { eventually } from '../support/build.js';
import { removeFolder } from '../support/remove-folder.js';
import { endProcesses, type ServiceProcess, startProcess } from './service-process.js';

const membersIntent = 1 << 15;

/** The fields in the log line `ready`, except its message. */
function readyOf(service: ServiceProcess): Record<string, unknown> {
  return { ...service.lines().find(({ msg }) => msg === 'ready') };
}

describe('A start with DISCORD_TOKEN alone', () => {
  const checker = createContractChecker();
  const sandboxes: DiscordSandbox[] = [];
  let dataDir: string;

  const startDiscord = async (options: DiscordSandboxOptions = {}): Promise<DiscordSandbox> => {
    const sandbox = await startDiscordSandbox({ ...options, ...(checker && { observe: checker.observe }) });
    sandboxes.push(sandbox);
    return sandbox;
  };
  const start = async (discord: DiscordSandbox, more: Record<string, string> = {}): Promise<ServiceProcess> =>
    startProcess({
      DISCORD_TOKEN: discord.application.botToken,
      DISCORD_API_URL: discord.apiUrl,
      PORT: String(await freePort()),
      DATA_DIR: dataDir,
      ...more,
    });
  const login = async (service: ServiceProcess) => fetch(`${service.url}/api/auth/login`, { redirect: 'manual' });

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'rolelink-one-'));
  });
  afterEach(async () => {
    await endProcesses();
    await removeFolder(dataDir);
  });
  after(async () => {
    await Promise.all(sandboxes.map((sandbox) => sandbox.stop()));
    expect(checker?.violations ?? []).to.deep.equal([]);
  });

  // DISC-51
  it('A start with DISCORD_TOKEN alone switches the intent on, is ready, and names the missing setting for sign-in', async () => {
    const discord = await startDiscord({ membersIntent: 'off' });
    const service = await start(discord);
    await service.logged('ready');
    expect(discord.application.flags).to.equal(membersIntent);
    expect(service.messages()).to.include('turned on the Server Members intent of the Discord application');
    const refused = await login(service);
    expect(refused.status).to.equal(503);
    expect(await refused.json()).to.deep.include({ code: 'sign_in_not_configured' });
  });

  it('The service takes the application’s id from Discord for signing in', async () => {
    const discord = await startDiscord();
    const service = await start(discord, { DISCORD_CLIENT_SECRET: discord.application.clientSecret });
    await service.logged('ready');
    const fields = readyOf(service);
    expect(fields).to.include({ bot: 'Rolelink', database: 'embedded', publicUrl: service.url });
    expect(fields.on).to.deep.equal(['Web sign-in', 'Webhooks']);
    expect(fields.invite).to.contain(`client_id=${discord.application.id}&`);
    const sent = new URL((await login(service)).headers.get('location') ?? '');
    expect(sent.searchParams.get('client_id')).to.equal(discord.application.id);
    expect(discord.requests.filter(({ method }) => method === 'PATCH')).to.deep.equal([]);
  });

  // API-48
  it('A fault in the set-up is named in the log and in /readyz, and the service is ready nevertheless', async () => {
    const discord = await startDiscord();
    discord.registerRedirectUri('https://elsewhere.example/callback');
    const service = await start(discord, { DISCORD_CLIENT_SECRET: discord.application.clientSecret });
    const told = await service.logged("The redirect isn't registered, so nobody could sign in with Discord.");
    expect(told.level).to.equal(40);
    const ready = await eventually(async () => {
      const answer = await fetch(`${service.url}/readyz`);
      const { warnings } = (await answer.json()) as { warnings: string[] };
      return warnings.includes('discord_redirect_missing') ? answer.status : undefined;
    }, 'the warning in /readyz');
    expect(ready).to.equal(200);
  });

  it('The service shows one block on a terminal once it is ready, and no JSON', async () => {
    const discord = await startDiscord();
    const service = await start(discord, { LOG_FORMAT: 'text' });
    await eventually(() => service.output().includes(' is ready as Rolelink, after '), 'the block');
    const output = service.output();
    expect(output).to.contain(
      `  Invite the bot  https://discord.com/oauth2/authorize?client_id=${discord.application.id}&`,
    );
    expect(output).to.contain('  Off             Web sign-in: set DISCORD_CLIENT_SECRET\n');
    expect(output).not.to.contain('{"').and.not.to.contain('ApplicationCommandRegistries');
    expect(output).not.to.contain(discord.application.botToken);
  });

  it('The service refuses another application’s id, and explains it', async () => {
    const discord = await startDiscord();
    const service = await start(discord, { DISCORD_CLIENT_ID: '100000000000000007' });
    expect(await service.ended).to.equal(1);
    expect(service.errors().trim()).to.match(/^DISCORD_CLIENT_ID is not of .* Leave it empty\.$/);
  });
});
