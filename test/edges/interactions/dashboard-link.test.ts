import { expect } from 'chai';
import { config, useConfig } from '../../../src/config/config.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { dashboardLink } from '../../../src/edges/interactions/dashboard-link.js';
import { sendDueWelcomes } from '../../../src/edges/interactions/welcome.js';
import { privateAnswer } from '../../commands/private-answer.js';
import type { SandboxMessage } from '../../sandbox/discord/sandbox-message.js';
import { buildGuild, buildMember, eventually, type TestGuild } from '../../support/build.js';
import { type World, world } from '../../support/world.js';

// DISC-52, DISC-53
describe('Open dashboard', () => {
  let discord: World['discord'];
  let guild: TestGuild;
  let withSignIn: ReturnType<typeof config>;
  before(async () => {
    ({ discord } = await world());
    guild = await buildGuild();
    withSignIn = config();
  });
  afterEach(() => useConfig(withSignIn));

  /** The path that the button *Open dashboard* leads to; undefined without the button. */
  const pathIn = ({ buttons }: Pick<SandboxMessage, 'buttons'>): string | undefined => {
    const url = buttons.find(({ label }) => label === 'Open dashboard')?.url;
    return url?.slice(config().publicUrl.length);
  };
  const ask = async (by: string, command: string, options: Record<string, string> = {}) =>
    pathIn(await privateAnswer(discord.command(guild.guildId, by, command, options)));

  it('Open dashboard leads from each command to the page for its subject', async () => {
    const { guildId, ownerId } = guild;
    const { chatUserId } = await buildMember(guild);
    expect(await ask(ownerId, 'help')).to.equal(`/g/${guildId}`);
    expect(await ask(ownerId, 'mapping list')).to.equal(`/g/${guildId}/mappings`);
    const made = await ask(ownerId, 'resync status');
    expect(decodeURIComponent(made ?? '')).to.equal(`/g/${guildId}/changes?tab="made"`);
    const why = await ask(ownerId, 'why', { member: chatUserId });
    expect(decodeURIComponent(why ?? '')).to.equal(`/g/${guildId}/members?member="${chatUserId}"`);
  });

  it('Open dashboard leads a person without a team role to their own account', async () => {
    const { chatUserId } = await buildMember(guild);
    expect(await ask(chatUserId, 'help')).to.equal('/me');
    expect(await ask(chatUserId, 'why')).to.equal('/me');
  });

  it('Open dashboard is in the welcome and in the last step of /setup', async () => {
    await GuildRecord.updateMany({}, { $unset: { welcome: 1 } });
    const { id: ownerId } = discord.addUser({ username: 'opener' });
    const { id } = discord.addGuild({ name: 'Opened', ownerId });
    const [message] = await welcomed(id);
    expect(message && pathIn(message)).to.equal(`/g/${id}`);
    let page: SandboxMessage = await privateAnswer(discord.command(id, ownerId, 'setup'));
    for (const label of ['Continue without a group', 'Next', 'Next'])
      page = await privateAnswer(discord.press(id, ownerId, page, label));
    expect(page.buttons.map(({ label }) => label)).to.include('Apply');
    expect(pathIn(page)).to.equal(`/g/${id}`);
  });

  it('Open dashboard is missing when no one can sign in on the web', async () => {
    useConfig({ ...withSignIn, discord: { ...withSignIn.discord, clientSecret: undefined } });
    for (const command of ['help', 'why', 'mapping list', 'resync status'])
      expect(await ask(guild.ownerId, command), command).to.equal(undefined);
  });

  it('Open dashboard is missing where its address leads people to their own machine, and stands for a stand-in of Discord', () => {
    const atDiscord = { ...withSignIn.discord, apiUrl: 'https://discord.com/api' };
    for (const publicUrl of ['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000']) {
      useConfig({ ...withSignIn, publicUrl, discord: atDiscord });
      expect(dashboardLink('/me'), publicUrl).to.deep.equal([]);
      useConfig({ ...withSignIn, publicUrl });
      expect(dashboardLink('/me'), `${publicUrl} beside a stand-in`).to.have.length(1);
    }
    useConfig({ ...withSignIn, publicUrl: 'https://rolelink.example', discord: atDiscord });
    expect(dashboardLink('/me')).to.deep.include.members([
      { type: 2, style: 5, url: 'https://rolelink.example/me', label: 'Open dashboard' },
    ]);
  });

  async function welcomed(guildId: string): Promise<readonly SandboxMessage[]> {
    await eventually(() => GuildRecord.exists({ _id: guildId, present: true }), 'the guild');
    await sendDueWelcomes(new AbortController().signal);
    return discord.messages(discord.channel(guildId).id);
  }
});
