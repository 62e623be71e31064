import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { buildPerson, eventually } from '../support/build.js';
import { removeFolder } from '../support/remove-folder.js';
import { environmentFor, freePort, world } from '../support/world.js';
import { labelsOf, phraseIn, privateAnswer, privateWords } from './private-answer.js';

const main = fileURLToPath(new URL('../../src/main.js', import.meta.url));

describe('Messages of the bot after a restart', () => {
  let discord: DiscordSandbox;
  let dataDir: string;
  let child: ChildProcess | undefined;

  before(async () => {
    discord = await startDiscordSandbox({
      rateLimits: { global: { limit: 10_000, seconds: 1 } },
      answerWithinMs: 30_000,
    });
    dataDir = await mkdtemp(join(tmpdir(), 'rolelink-restart-'));
  });
  after(async () => {
    await kill();
    await discord.stop();
    await removeFolder(dataDir);
  });

  /** Starts the service as its own process, on the same data as before, and waits until it can do all its work. */
  async function start(): Promise<void> {
    const { roblox } = await world();
    const port = await freePort();
    const environment = environmentFor({ discord, roblox, port, dataDir });
    discord.forgetRequests();
    child = spawn(process.execPath, [main], { env: environment, stdio: 'ignore' });
    const registered = () =>
      discord.requests.some(({ method, path }) => method === 'PUT' && path.endsWith('/commands'));
    await eventually(registered, 'the service');
    const isReady = async () => (await fetch(`http://localhost:${port}/readyz`).catch(() => null))?.ok;
    await eventually(isReady, 'readiness');
  }

  async function kill(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  // DISC-14
  it('The bot resumes a killed process’s verification, and every button of it works', async () => {
    const { roblox } = await world();
    const { gameUserId, gameUsername } = await buildPerson();
    const owner = discord.addUser({ username: 'owner' });
    const { id: chatUserId } = discord.addUser({ username: 'person' });
    const { id: guildId } = discord.addGuild({ name: 'Guild', ownerId: owner.id });
    discord.join(guildId, chatUserId);
    const press = (message: { id: string; channelId: string }, label: string) =>
      discord.press(guildId, chatUserId, message, label);

    await start();
    await privateWords(discord.command(guildId, owner.id, 'panel'));
    const choice = await privateAnswer(discord.command(guildId, chatUserId, 'verify'));
    const form = await press(choice, 'Use a profile code');
    await kill();
    await start();
    const phrase = await privateAnswer(discord.submit(form, { username: gameUsername }));
    await kill();
    roblox.setAbout(gameUserId, phraseIn(phrase));
    await start();
    expect(await privateWords(press(phrase, "I've added it"))).to.contain(`You are now linked to [${gameUsername}]`);
    expect(discord.member(guildId, chatUserId)?.nickname).to.equal(gameUsername);

    // The message that welcomes the bot may stand behind it.
    const posted = discord.messages(discord.channel(guildId).id);
    const panel = posted.find((message) => labelsOf(message).includes('Verify')) ?? choice;
    const known = await privateAnswer(press(panel, 'Verify'));
    expect(known.words).to.contain('You are verified here');
    const question = await privateAnswer(discord.command(guildId, chatUserId, 'unlink'));
    await kill();
    await start();
    expect(await privateWords(press(known, 'Update roles'))).to.contain('already up to date');
    expect(await privateWords(press(question, 'Unlink'))).to.contain('unlinked in every server');
    await eventually(() => discord.member(guildId, chatUserId)?.nickname === null, 'the loss of the nickname');
  });
});
