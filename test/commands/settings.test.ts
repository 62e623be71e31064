import { expect } from 'chai';
import { systemActor } from '../../src/core/actors/actor.js';
import { latestEntries } from '../../src/core/audit/audit-service.js';
import { addGroup } from '../../src/core/groups/group-service.js';
import { GuildRecord } from '../../src/core/guilds/guild-model.js';
import { defaultSettings } from '../../src/core/settings/guild-settings.js';
import { readSettings, readVersionedSettings, writeSettings } from '../../src/core/settings/settings-service.js';
import { buildGuild, type TestGuild } from '../support/build.js';
import { factsWhere } from '../support/events.js';
import { type World, world } from '../support/world.js';
import { privateWords } from './private-answer.js';
import { buildDiscordManager, distrustDiscordAdmins, giveTeamRole } from './team.js';

let discord: World['discord'];
let guild: TestGuild;

function withGuild(): void {
  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGuild();
  });
}

const settings = (subcommand: string, options = {}, chatUserId = guild.ownerId) =>
  privateWords(discord.command(guild.guildId, chatUserId, `settings ${subcommand}`, options));
const stored = () => readSettings(guild.guildId);

describe('/settings view and its access', () => {
  withGuild();

  it('/settings view shows every setting, as it is in force', async () => {
    expect((await settings('view')).split('\n')).to.deep.equal([
      'Settings',
      '**Roles and nicknames**: kept in sync',
      '**Verification**: on · by signing in to Roblox, a code in the Roblox profile',
      '**Nicknames**: on · `{gameUsername}`',
      '**Members who keep their roles**: none',
      '**Members who keep their nickname**: none',
      '**Restrictions**: none',
      '**Message to new unverified members**: none',
      '**Link new members who verified in another server**: on',
      "**Roles wait until the server's rules are accepted**: on",
      '**People who verified in another server**: linked without asking',
      '**Accounts**: any that the person chooses',
      '**Unlinking removes the roles**: on',
      '**Unlinking removes the nickname**: on',
      '**Automatic resync**: every hour',
      '**A resync waits for an admin** if more than 30% and at least 20 members would lose roles',
      '**Experiences told at once**: none',
      '**Log channel**: none',
      '**Members with Manage Server are admins**: on',
      '**Language**: English',
    ]);
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { plan: 'free' } });
    expect(await settings('view')).to.contain('**Automatic resync**: every 24 hours');
  });

  it('A viewer may view the settings, and not even a manager may set them', async () => {
    const manager = await buildDiscordManager(guild);
    await distrustDiscordAdmins(guild);
    await giveTeamRole(guild, manager.chatUserId, 'manager');
    expect(await settings('view', {}, manager.chatUserId)).to.contain('**Members with Manage Server are admins**: off');
    expect(await settings('set', { nickname: false }, manager.chatUserId)).to.equal(
      'You need the team role admin in this server.',
    );
    expect((await stored()).nickname.enabled).to.equal(true);
    await writeSettings(guild.guildId, defaultSettings);
    await settings('set', { nickname: false }, manager.chatUserId);
    expect((await stored()).nickname.enabled).to.equal(false);
  });
});

describe('/settings mode', () => {
  withGuild();

  it('/settings mode makes the server observe only, and enforce again', async () => {
    expect(await settings('mode', { mode: 'observe' })).to.contain(
      '**Roles and nicknames**: only observed, another bot gives them out',
    );
    expect((await stored()).mode).to.equal('observe');
    await settings('mode', { mode: 'enforce' });
    expect((await stored()).mode).to.equal('enforce');
  });
});

describe('/settings set', () => {
  withGuild();

  it('/settings changes each setting by its option and logs the change', async () => {
    const { id: channel } = discord.channel(guild.guildId);
    const { id: staff } = discord.addRole(guild.guildId, { name: 'Staff' });
    await factsWhere(guild.guildId, ({ roles }) => roles.has(staff), 'the role');
    const { id: group } = (await world()).roblox.addGroup({ name: 'Wild' });
    const words = await settings('set', {
      verification: false,
      methods: 'profile_code',
      minimum_account_age: 30,
      nickname: false,
      nickname_template: '{gameDisplayName}',
      keep_roles: `<@&${staff}>`,
      keep_nickname: 'none',
      link_on_join: false,
      reveal: 'ask',
      accounts: 'main',
      unlink_takes_roles: false,
      unlink_resets_nickname: false,
      universes: '7001 https://create.roblox.com/dashboard/creations/experiences/7002/overview',
      log_channel: channel,
      trust_discord_admins: false,
    });
    expect(words)
      .to.contain('Saved. These are the settings:')
      .and.contain(`**Log channel**: <#${channel}>`)
      .and.contain('a code in the Roblox profile · Roblox accounts at least 30 days old');
    const restricted = await settings('restrictions', {
      restrict_action: 'kick',
      restrict_account_age: 7,
      restrict_required_groups: 'none',
      restrict_denied_groups: `https://www.roblox.com/communities/${group}/Wild`,
      restrict_denied_users: 'https://www.roblox.com/users/12/profile, #13',
      restrict_reason: 'Ask us.',
    });
    expect(restricted)
      .to.contain('Saved. These are the settings:')
      .and.contain(`(kick): accounts younger than 7 days · groups denied: ${group} · accounts denied: 12, 13 · reason`);
    await settings('resync', {
      automatic_resync: false,
      resync_every_hours: 12,
      mass_removal_percent: 5,
      mass_removal_people: 3,
    });
    expect(await stored()).to.deep.equal({
      mode: 'enforce',
      verification: { enabled: false, methods: ['profile_code'], minimumAccountAgeDays: 30 },
      nickname: { enabled: false, template: '{gameDisplayName}' },
      bypass: { keepRoles: [staff], keepNickname: [] },
      restrictions: {
        action: 'kick',
        minimumAccountAgeDays: 7,
        requiredGroupIds: [],
        deniedGroupIds: [group],
        deniedGameUserIds: ['12', '13'],
        reason: 'Ask us.',
      },
      joinMessage: { to: 'none', channelId: null, text: null },
      autoLinkOnJoin: false,
      waitForRules: true,
      reveal: 'ask',
      accounts: 'main',
      unlink: { removeRoles: false, resetNickname: false },
      resync: { automatic: false, everyHours: 12 },
      massRemoval: { sharePercent: 5, people: 3 },
      universeIds: ['7001', '7002'],
      logChannelId: channel,
      trustDiscordAdmins: false,
      locale: 'en',
    });
    const [entry] = await latestEntries(guild.guildId, 1);
    expect(entry).to.deep.include({ action: 'settings.updated', target: { kind: 'settings', id: guild.guildId } });
    expect(entry?.actor).to.include({ kind: 'user', id: guild.ownerId });
    expect(entry?.changes).to.deep.include({ 'massRemoval.people': { from: 20, to: 3 } });
  });

  it('/settings set leaves options that are not named, takes settings back, and changes nothing without an option', async () => {
    const { id: channel } = discord.channel(guild.guildId);
    await settings('set', { log_channel: channel, methods: 'oauth' });
    await settings('resync', { resync_every_hours: 5 });
    await settings('set', { no_log_channel: true });
    await settings('resync', { resync_every_hours: 0 });
    const verification = { ...defaultSettings.verification, methods: ['oauth'] };
    expect(await stored()).to.deep.equal({ ...defaultSettings, verification });
    const { version } = await readVersionedSettings(guild.guildId);
    expect(await settings('set')).to.contain('Saved. These are the settings:');
    await settings('set', { verification: true });
    expect(await readVersionedSettings(guild.guildId)).to.include({ version });
  });

  it('/settings set names the language that was chosen in that language', async () => {
    expect(await settings('set', { language: 'de' })).to.contain('**Language**: Deutsch');
  });

  it('/settings set explains a refusal with the name of the option', async () => {
    expect(await settings('set', { nickname_template: '{rank}' })).to.contain(
      '- nickname_template: has no placeholder {rank}',
    );
    expect(await settings('restrictions', { restrict_denied_users: 'some body' })).to.contain(
      '- restrict_denied_users: enter IDs',
    );
    expect(await settings('restrictions', { restrict_denied_groups: '999999999' })).to.contain(
      'restrict_denied_groups: is not a group on Roblox',
    );
    const own = discord.channel(guild.guildId).id;
    expect(await settings('set', { log_channel: own, no_log_channel: true })).to.contain(
      "- no_log_channel: can't be combined with log\\_channel",
    );
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { plan: 'pro' } });
    expect(await settings('resync', { resync_every_hours: 1, automatic_resync: false })).to.contain(
      'The plan pro resyncs every 6 hours at most: choose 6 or more',
    );
    expect(await readVersionedSettings(guild.guildId)).to.deep.equal({
      settings: defaultSettings,
      version: 0,
      restrictionsCeiling: null,
    });
  });

  it('/settings set suggests templates with the guild’s groups', async () => {
    const { roblox } = await world();
    const { id } = roblox.addGroup({ name: 'Builders' });
    await addGroup(guild.guild, systemActor('test'), id);
    const focused = { name: 'nickname_template', value: 'build' };
    const choices = await discord.autocomplete(guild.guildId, guild.ownerId, 'settings set', focused);
    expect(choices).to.deep.equal([
      { name: '[role in Builders] {gameUsername}', value: `[{groupRole:${id}}] {gameUsername}` },
    ]);
  });
});
