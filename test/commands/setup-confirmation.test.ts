import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { readSettings } from '../../src/core/settings/settings-service.js';
import { listAllMappings } from '../../src/features/mappings/mapping-service.js';
import type { SandboxMessage } from '../sandbox/discord/sandbox-message.js';
import { buildGuild, type TestGuild, type TestPerson } from '../support/build.js';
import { factsWhere, onceShown } from '../support/events.js';
import { type World, world } from '../support/world.js';
import { followUpWords, labelsOf, privateAnswer } from './private-answer.js';
import { buildDiscordManager } from './team.js';

let serial = 0;

// DISC-26
describe('A setup that several admins share', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: TestGuild;
  let low: string;
  let admins: string;
  let admin: TestPerson;

  beforeEach(async () => {
    ({ discord, roblox } = await world());
    guild = await buildGuild();
    low = discord.addRole(guild.guildId, { name: 'Low', position: 1 }).id;
    admin = await buildDiscordManager(guild, 2);
    admins = discord.addRole(guild.guildId, { name: 'Admins', position: 3 }).id;
    await factsWhere(guild.guildId, ({ roles }) => roles.has(admins));
  });

  const open = (chatUserId = guild.ownerId) => privateAnswer(discord.command(guild.guildId, chatUserId, 'setup'));
  const press = (message: SandboxMessage, label: string, chatUserId = guild.ownerId) =>
    privateAnswer(discord.press(guild.guildId, chatUserId, message, label));
  const choose = (message: SandboxMessage, action: string, values: string[], chatUserId = guild.ownerId) =>
    discord.select(guild.guildId, chatUserId, message, `setup:${action}`, values);
  const chosen = (...asked: Parameters<typeof choose>) => privateAnswer(choose(...asked));
  const mapped = async () => (await listAllMappings(guild.guildId)).flatMap(({ roleIds }) => roleIds);
  const addGroup = (...ranks: string[]) => {
    serial += 1;
    const roles = ['Guest', ...ranks].map((name, rank) => ({ name, rank }));
    return roblox.addGroup({ name: `Shared fleet ${serial}`, roles }).id;
  };

  // DISC-28
  it('A forged choice of another server’s channel is refused in words, and posts nothing there', async () => {
    const other = await buildGuild();
    const foreign = discord.channel(other.guildId).id;
    const verified = await press(await open(), 'Continue without a group');
    const panel = await press(await chosen(verified, 'verified', [low]), 'Next');
    expect((await chosen(panel, 'channel', [foreign])).words).to.contain('is not a channel of this server');
    expect(discord.messages(foreign)).to.deep.equal([]);
  });

  /** The owner's last page in a setup that gives the role Low to verified people. */
  async function summaryOfLow(): Promise<SandboxMessage & { words: string }> {
    const verified = await press(await open(), 'Continue without a group');
    const panel = await press(await chosen(verified, 'verified', [low]), 'Next');
    return press(panel, 'Next');
  }

  /** The page for an admin that continues the setup, after *Back* this many times. */
  async function adminsPage(back: number): Promise<SandboxMessage> {
    let page: SandboxMessage = await open(admin.chatUserId);
    for (let n = 0; n < back; n += 1) page = await press(page, 'Back', admin.chatUserId);
    return page;
  }

  // DISC-25
  it('/setup refuses an admin the choice of a role above them, and keeps the choice that was there', async () => {
    await summaryOfLow();
    const refused = await choose(await adminsPage(2), 'verified', [admins], admin.chatUserId);
    await onceShown(() => refused.followUps().length > 0);
    expect(followUpWords(refused)).to.contain('You can only map roles below your own highest role: Admins');
    expect((await open()).words)
      .to.contain(`<@&${low}>`)
      .and.not.contain(`<@&${admins}>`);
  });

  it('Apply shows the new summary, and writes nothing, when a choice has changed since it was shown', async () => {
    const summary = await summaryOfLow();
    expect(summary.words).to.contain(`verified → <@&${low}>`);
    const other = discord.addRole(guild.guildId, { name: 'Lower', position: 1 }).id;
    await factsWhere(guild.guildId, ({ roles }) => roles.has(other));
    await chosen(await adminsPage(2), 'verified', [other], admin.chatUserId);
    const anew = await press(summary, 'Apply');
    expect(anew.words).to.contain('has been changed').and.contain(`verified → <@&${other}>`);
    expect(await mapped()).to.deep.equal([]);
    await (await discord.press(guild.guildId, guild.ownerId, anew, 'Apply')).replyMatching(/is set up/);
    expect(await mapped()).to.deep.equal([other]);
  });

  it('Apply writes nothing under a summary that was shown with another nickname', async () => {
    const summary = await summaryOfLow();
    const before = await readSettings(guild.guildId);
    await chosen(await adminsPage(2), 'nickname', ['off'], admin.chatUserId);
    expect((await press(summary, 'Apply')).words).to.contain('has been changed');
    expect(await readSettings(guild.guildId)).to.deep.equal(before);
    expect(await mapped()).to.deep.equal([]);
  });

  it('Apply writes nothing under a summary that was shown with another group', async () => {
    const groupId = addGroup('Low');
    await guild.api.post(`${guild.path}/groups`, { groupId });
    const summary = await summaryOfLow();
    await chosen(await adminsPage(3), 'group', [groupId], admin.chatUserId);
    expect((await press(summary, 'Apply')).words)
      .to.contain('has been changed')
      .and.contain('Shared fleet');
    expect(await mapped()).to.deep.equal([]);
  });

  it('The summary names the nickname, the panel’s heading and the roles of the group, as Apply does them', async () => {
    const groupId = addGroup('Low', 'Admins');
    await guild.api.post(`${guild.path}/groups`, { groupId });
    const verified = await press(await chosen(await open(), 'group', [groupId]), 'Next');
    const panel = await press(await chosen(verified, 'nickname', ['off']), 'Next');
    const summary = await press(panel, 'Next');
    expect(summary.words)
      .to.contain('Nicknames stay as they are')
      .and.contain('Its heading')
      .and.contain(`<@&${low}>, <@&${admins}>`);
  });

  it('Apply does nothing when the verified role has become dangerous since the summary, and shows that', async () => {
    const summary = await summaryOfLow();
    discord.updateRole(guild.guildId, low, { permissions: PermissionFlagsBits.Administrator });
    await factsWhere(guild.guildId, ({ roles }) => roles.get(low)?.permissions !== 0n);
    expect((await press(summary, 'Apply')).words)
      .to.contain('has been changed')
      .and.contain('Administrator');
    expect(await mapped()).to.deep.equal([]);
  });

  it('/setup makes only the roles that its page has named as missing', async () => {
    const [first, second] = [addGroup('Cadet'), addGroup('Pirate')];
    for (const groupId of [first, second]) await guild.api.post(`${guild.path}/groups`, { groupId });
    const ranks = await chosen(await open(), 'group', [first]);
    expect(labelsOf(ranks)).to.include('Create the missing roles');
    await chosen(await adminsPage(1), 'group', [second], admin.chatUserId);
    const anew = await press(ranks, 'Create the missing roles');
    const names = () => discord.roles(guild.guildId).map(({ name }) => name);
    expect(names()).not.to.include('Pirate').and.not.to.include('Cadet');
    expect(anew.words).to.contain('has been changed').and.contain('Pirate');
    await press(anew, 'Create the missing roles');
    expect(names()).to.include('Pirate');
  });

  it('/setup makes no role “Verified” when another admin has chosen one in the meantime', async () => {
    const verified = await press(await open(), 'Continue without a group');
    await chosen(await adminsPage(0), 'verified', [low], admin.chatUserId);
    expect((await press(verified, 'Create a role “Verified”')).words).to.contain(`verified gets <@&${low}>`);
    expect(discord.roles(guild.guildId).map(({ name }) => name)).not.to.include('Verified');
  });
});
