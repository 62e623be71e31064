import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { GatewayCloseCodes } from 'discord.js';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { freePort } from '../sandbox/kit/free-port.js';
import { sandboxEnvironment } from '../sandbox/kit/sandbox-environment.js';
import { type RobloxSandbox, startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { removeFolder } from '../support/remove-folder.js';
import { endProcesses, type ServiceProcess, signInAt, startProcess } from './service-process.js';

/** DISC-46: what Discord refuses for good, while the service runs. */
describe('Refusals by Discord at runtime', () => {
  let discord: DiscordSandbox;
  let roblox: RobloxSandbox;
  let dataDir: string;
  let service: ServiceProcess;

  beforeEach(async () => {
    [discord, roblox] = await Promise.all([startDiscordSandbox(), startRobloxSandbox({ rateLimits: false })]);
    dataDir = await mkdtemp(join(tmpdir(), 'rolelink-refused-'));
    const port = String(await freePort());
    service = startProcess({ ...sandboxEnvironment(discord, roblox), PORT: port, DATA_DIR: dataDir });
    await service.logged('ready');
  });
  afterEach(async () => {
    await endProcesses();
    await Promise.all([discord.stop(), roblox.stop(), removeFolder(dataDir)]);
  });

  /** The log's last words, once the service has ended in order with 1. No warning before or after them has a stack. */
  const lastWords = async (): Promise<string | undefined> => {
    expect(await service.ended).to.equal(1);
    expect(service.errors()).to.equal('');
    expect(service.lines().filter(({ level, err }) => level >= 40 && err !== undefined)).to.deep.equal([]);
    return service.lines().findLast(({ level }) => level === 60)?.msg;
  };

  // DISC-48
  it('The service ends with the sentence about DISCORD_TOKEN when a call and the question about the token are refused', async () => {
    const { id: ownerId } = discord.addUser({ username: 'owner' });
    const { id: guildId } = discord.addGuild({ name: 'Server', ownerId });
    const headers = await signInAt(service.url, discord, ownerId);
    discord.inject({ match: /./, status: 401 });
    await fetch(`${service.url}/api/guilds/${guildId}/people?q=a`, { headers });
    expect(await lastWords()).to.match(/^Discord rejects DISCORD_TOKEN\./);
  });

  it('The service ends with the sentence about DISCORD_TOKEN when the gateway and the question are refused', async () => {
    discord.inject({ match: /./, status: 401 });
    discord.closeGatewayWith(GatewayCloseCodes.AuthenticationFailed);
    expect(await lastWords()).to.match(/^Discord rejects DISCORD_TOKEN\./);
  });

  it('The service ends with the sentence about the intent when the gateway takes it away', async () => {
    discord.closeGatewayWith(GatewayCloseCodes.DisallowedIntents);
    expect(await lastWords()).to.contain('Server Members');
  });
});

describe('Refusals by Discord at the start', () => {
  let discord: DiscordSandbox;
  let dataDir: string;

  beforeEach(async () => {
    discord = await startDiscordSandbox();
    dataDir = await mkdtemp(join(tmpdir(), 'rolelink-refused-start-'));
  });
  afterEach(async () => {
    await endProcesses();
    await Promise.all([discord.stop(), removeFolder(dataDir)]);
  });

  /** All that a start says on standard error, and its log with a stack. */
  async function wordsOfStart(token = discord.application.botToken): Promise<string> {
    const environment = { DISCORD_TOKEN: token, DISCORD_API_URL: discord.apiUrl, DATA_DIR: dataDir };
    const service = startProcess({ ...environment, PORT: String(await freePort()) });
    expect(await service.ended).to.equal(1);
    expect(service.lines().filter(({ err }) => err !== undefined)).to.deep.equal([]);
    return service.errors();
  }
  const sentence = 'Discord rejects DISCORD_TOKEN. Copy the bot token again from the developer portal.\n';

  it('A start with a token that Discord never gave ends with the sentence alone', async () => {
    expect(await wordsOfStart(discord.application.botToken.replace(/.{8}$/, 'AAAAAAAA'))).to.equal(sentence);
  });

  it('A token that is refused after the application was read ends the start with the one sentence alone', async () => {
    discord.inject({ match: /gateway\/bot/, status: 401 });
    expect(await wordsOfStart()).to.equal(sentence);
  });
});
