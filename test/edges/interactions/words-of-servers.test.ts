import { expect } from 'chai';
import { defaultSettings, type GuildSettings } from '../../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../../src/core/settings/settings-service.js';
import { sendDueJoinMessages } from '../../../src/edges/interactions/join-message.js';
import { longestMessage, withShownLinks } from '../../../src/platforms/discord/channel-messages.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildGuild, buildPerson, eventually, type TestGuild } from '../../support/build.js';
import { type World, world } from '../../support/world.js';

/** DISC-39: a server's text sent by the bot names the server, and shows its links' targets. */
describe('The words of a server', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: TestGuild;

  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGuild({ name: 'Roblox [Support](https://evil.example)' });
  });

  async function told(joinMessage: Partial<GuildSettings['joinMessage']>) {
    const channelId = discord.channel(guild.guildId).id;
    await writeSettings(guild.guildId, {
      ...defaultSettings,
      joinMessage: { to: 'dm', channelId, text: null, ...joinMessage },
    });
    const { chatUserId } = await buildPerson();
    discord.join(guild.guildId, chatUserId);
    return eventually(async () => {
      await sendDueJoinMessages(new AbortController().signal);
      return (joinMessage.to === 'channel' ? discord.messages(channelId) : discord.directMessages(chatUserId)).at(-1);
    }, 'the message');
  }
  const fraud = 'Hi {member}, [confirm your account](https://evil.example/login) or <https://evil.example>.';

  // DISC-35
  it('A direct message to a newcomer begins with a line that names the server', async () => {
    const { content, flags } = await told({ text: 'Please verify.' });
    const [first, ...own] = content.split('\n');
    expect(first).to.equal('**A message from the server Roblox \\[Support\\](https\\://evil.example)**');
    expect(own).to.deep.equal(['Please verify.']);
    expect(flags).to.not.equal(0);
  });

  for (const to of ['dm', 'channel'] as const) {
    it(`A link in the message to a newcomer (${to}) shows where it leads`, async () => {
      const { content } = await told({ to, text: fraud });
      expect(content).to.contain('[confirm your account] (https://evil.example/login)');
      expect(content).to.not.match(/(?<!\\)\]\(/);
    });
  }

  it('No server name and no placeholder makes a link with a hidden address', async () => {
    const { content } = await told({ text: '[free]{server} [a]{member}](https://evil.example)' });
    expect(content.split('\n').at(-1)).to.not.match(/(?<!\\)\]\(/);
  });

  it('The longest own words arrive whole behind the line', async () => {
    const text = 'x'.repeat(1500);
    const { content } = await told({ text });
    expect(content.endsWith(text)).to.equal(true);
    expect(content.length).to.be.at.most(longestMessage);
  });

  it('A link shows its address despite escapes and invisible characters around it', () => {
    const tries = [
      '[a](https://b.c)',
      '\\[a](https://b.c)',
      '[a\\](https://b.c)',
      '[a]\u200b(https://b.c)',
      '[[a]](https://b.c)',
    ];
    for (const text of tries) expect(withShownLinks(text), text).to.not.match(/\]\u200b?\(/);
    expect(withShownLinks('**Hi** [a] b (c) <https://b.c>')).to.equal('**Hi** [a] b (c) <https://b.c>');
  });

  it('A panel with words of its own shows where its links lead', async () => {
    const channelId = discord.channel(guild.guildId).id;
    await discord.command(guild.guildId, guild.ownerId, 'panel', { text: 'Read [this](https://evil.example) first.' });
    const message = await eventually(() => discord.messages(channelId).at(-1), 'the panel');
    expect(JSON.stringify(message)).to.contain('[this] (https://evil.example)');
  });
});
