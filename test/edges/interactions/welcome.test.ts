import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { config } from '../../../src/config/config.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { claimDueWelcome } from '../../../src/core/guilds/welcomes.js';
import { sendDueWelcomes } from '../../../src/edges/interactions/welcome.js';
import { labelsOf, privateAnswer } from '../../commands/private-answer.js';
import { eventually } from '../../support/build.js';
import { type World, world } from '../../support/world.js';

let serial = 0;

// DISC-19, DISC-20, DISC-21
describe('The welcome of a new server', () => {
  let discord: World['discord'];
  let ownerId: string;

  beforeEach(async () => {
    ({ discord } = await world());
    serial += 1;
    ownerId = discord.addUser({ username: `inviter${serial}` }).id;
    await GuildRecord.updateMany({}, { $unset: { welcome: 1 } });
  });
  afterEach(() => discord.clearFaults());

  async function invite(botPermissions?: bigint): Promise<string> {
    const permissions = botPermissions === undefined ? {} : { botPermissions };
    const { id } = discord.addGuild({ name: `New ${serial}`, ownerId, ...permissions });
    await eventually(() => GuildRecord.exists({ _id: id, present: true }), 'the guild');
    return id;
  }
  const send = () => sendDueWelcomes(new AbortController().signal);
  const posted = (guildId: string) => discord.messages(discord.channel(guildId).id);
  const makeDue = (guildId: string) => GuildRecord.updateOne({ _id: guildId }, { $set: { 'welcome.at': new Date(0) } });

  it('The welcome of a new server is one message with the button Set up, which opens /setup for admins', async () => {
    const guildId = await invite();
    await send();
    await send();
    const [message, ...others] = posted(guildId);
    expect(others).to.deep.equal([]);
    expect(message?.content).to.contain('Thanks for inviting Rolelink').and.contain('nothing changes until');
    if (message === undefined) return;
    expect(labelsOf(message)).to.deep.equal(['Set up', 'Open dashboard']);
    const opened = await privateAnswer(discord.press(guildId, ownerId, message, 'Set up'));
    expect(opened.words).to.contain('Step 1 of 5');
    const stranger = discord.addUser({ username: `stranger${serial}` }).id;
    discord.join(guildId, stranger);
    const refused = await privateAnswer(discord.press(guildId, stranger, message, 'Set up'));
    expect(refused.words).to.contain('You need the team role admin');
  });

  it('The welcome is not sent again when the bot returns', async () => {
    const guildId = await invite();
    await send();
    discord.removeBot(guildId);
    await eventually(() => GuildRecord.exists({ _id: guildId, present: false }), 'the leave');
    discord.addBot(guildId);
    await eventually(() => GuildRecord.exists({ _id: guildId, present: true }), 'the return');
    await send();
    expect(posted(guildId)).to.have.length(1);
  });

  it('The welcome goes to the owner where the bot cannot write', async () => {
    const guildId = await invite(PermissionFlagsBits.ManageRoles);
    discord.updateRole(guildId, guildId, { permissions: PermissionFlagsBits.ViewChannel });
    await eventually(async () => {
      await makeDue(guildId);
      await send();
      return discord.directMessages(ownerId).length > 0;
    }, 'the direct message');
    expect(posted(guildId)).to.deep.equal([]);
    expect(discord.directMessages(ownerId)[0]?.content)
      .to.contain('/setup')
      .and.contain(`https://discord.com/channels/${guildId}`);
    const [toSetup, ...others] = discord.directMessages(ownerId)[0]?.buttons ?? [];
    expect(toSetup).to.include({ label: 'Open dashboard', url: `${config().publicUrl}/g/${guildId}/setup` });
    expect(others).to.deep.equal([]);
    expect(await GuildRecord.exists({ _id: guildId, welcome: { $exists: true } } as never)).to.equal(null);
    const welcome = { at: new Date(0), locale: 'en' as const, channelId: null };
    await GuildRecord.updateOne({ _id: guildId }, { $set: { welcome } });
    await send();
    expect(discord.directMessages(ownerId), 'after a crash').to.have.length(1);
  });

  it('The welcome is sent exactly once, even with a crash before or after', async () => {
    const guildId = await invite();
    expect((await claimDueWelcome())?._id).to.equal(guildId);
    await send();
    expect(posted(guildId)).to.deep.equal([]);
    await makeDue(guildId);
    await send();
    const welcome = { at: new Date(0), locale: 'en' as const, channelId: discord.channel(guildId).id };
    await GuildRecord.updateOne({ _id: guildId }, { $set: { welcome } });
    await send();
    expect(posted(guildId)).to.have.length(1);
  });

  it('The welcome waits for Discord, and is given up after an hour', async () => {
    const guildId = await invite();
    discord.inject({ match: /messages/, status: 503 });
    await send();
    discord.clearFaults();
    await makeDue(guildId);
    await send();
    expect(posted(guildId)).to.have.length(1);
    const late = await invite();
    await GuildRecord.updateOne({ _id: late }, { $set: { joinedAt: new Date(0) } });
    await send();
    expect(posted(late)).to.deep.equal([]);
  });

  it('The welcome speaks the language of the server, where Rolelink does', async () => {
    const restore = discord.reshapeEvents((event, data) =>
      event === 'GUILD_CREATE' ? { ...(data as object), preferred_locale: 'de' } : data,
    );
    const guildId = await invite();
    restore();
    await send();
    expect(posted(guildId)[0]?.content).to.contain('Danke, dass du Rolelink eingeladen hast');
  });
});
