import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { findGroups } from '../../src/core/groups/group-service.js';
import { readSettings } from '../../src/core/settings/settings-service.js';
import { listAllMappings } from '../../src/features/mappings/mapping-service.js';
import { findSetup } from '../../src/features/setup/setup-service.js';
import type { SandboxMessage } from '../sandbox/discord/sandbox-message.js';
import { buildGuild, buildMember, buildPerson, eventually, type TestGuild } from '../support/build.js';
import { type World, world } from '../support/world.js';
import { labelsOf, privateAnswer, privateWords } from './private-answer.js';
import { buildDiscordManager, distrustDiscordAdmins } from './team.js';

let serial = 0;

let discord: World['discord'];
let roblox: World['roblox'];
let guild: TestGuild;
let groupName: string;
let groupId: string;

/** Gives each test a guild, and a group on Roblox with three ranks. */
function withGroup(): void {
  beforeEach(async () => {
    ({ discord, roblox } = await world());
    guild = await buildGuild();
    serial += 1;
    groupName = `Star Fleet ${serial}`;
    const ranks = { Guest: 0, Cadet: 1, Captain: 200, Admiral: 255 };
    const roles = Object.entries(ranks).map(([name, rank]) => ({ name, rank }));
    groupId = roblox.addGroup({ name: groupName, roles }).id;
  });
  afterEach(() => roblox.clearFaults());
}

const open = (chatUserId = guild.ownerId) => privateAnswer(discord.command(guild.guildId, chatUserId, 'setup'));

const press = (message: SandboxMessage, label: string) =>
  privateAnswer(discord.press(guild.guildId, guild.ownerId, message, label));
const choose = (message: SandboxMessage, action: string, ...values: string[]) =>
  privateAnswer(discord.select(guild.guildId, guild.ownerId, message, `setup:${action}`, values));
const search = async (message: SandboxMessage, group: string) => {
  const form = await discord.press(guild.guildId, guild.ownerId, message, 'setup-form:find');
  return privateAnswer(discord.submit(form, { group }));
};

const roleNamed = (name: string) => discord.roles(guild.guildId).find((role) => role.name === name);

const posted = () => discord.messages(discord.channel(guild.guildId).id);

// DISC-22, DISC-24, DISC-28
describe('The way through /setup', () => {
  withGroup();

  // DISC-27, DISC-29
  it('/setup leads from the group to roles: nothing is in force before Apply, everything after', async () => {
    discord.addRole(guild.guildId, { name: 'captain' });
    const person = await buildPerson();
    roblox.setRank(groupId, person.gameUserId, 200);
    await buildMember(guild, { person });
    const group = await open();
    expect(group.words).to.contain('Step 1 of 5: Your Roblox group');
    const ranks = await search(group, groupName);
    expect(ranks.words)
      .to.contain('➖ **Admiral** → no role')
      .and.contain(`✅ **Captain** → <@&${roleNamed('captain')?.id}>`);
    const made = await press(ranks, 'Create the missing roles');
    expect(made.words).to.contain('3 roles were created').and.not.contain('➖');
    expect(roleNamed('Cadet')).to.include({ permissions: 0n });
    expect(roleNamed('Admiral')?.position).to.be.above(roleNamed('Cadet')?.position ?? 99);
    expect(roleNamed('Admiral')?.color).not.to.equal(roleNamed('Cadet')?.color);
    const verified = await press(made, 'Next');
    expect(verified.words).to.contain(`${person.username} → **${person.gameUsername}**`);
    expect(verified.words).to.contain(`verified gets <@&${roleNamed('Verified')?.id}>`);
    const panel = await press(verified, 'Next');
    expect(panel.words).to.contain(`<#${discord.channel(guild.guildId).id}>`);
    const summary = await press(panel, 'Next');
    expect(summary.words).to.contain('would change. 1 would get roles').and.contain('Nothing has been changed yet');
    expect(await listAllMappings(guild.guildId)).to.deep.equal([]);
    expect(posted()).to.deep.equal([]);
    const applied = await discord.press(guild.guildId, guild.ownerId, summary, 'Apply');
    await applied.replyMatching(/Rolelink is set up/);
    const mappings = await listAllMappings(guild.guildId);
    expect(mappings.map(({ condition }) => condition.type)).to.have.members(['group_roles', 'verified']);
    expect(posted().map(labelsOf)).to.deep.equal([['Verify']]);
    const roles = [roleNamed('captain')?.id, roleNamed('Verified')?.id].sort();
    await eventually(() => {
      const held = discord.member(guild.guildId, person.chatUserId)?.roleIds ?? [];
      return held.length === 2 && expect([...held].sort()).to.deep.equal(roles);
    });
    expect(await findSetup(guild.guildId)).to.equal(null);
  });

  // OBS-19
  it('/setup offers to observe first where another bot may hand out roles, and then changes no member', async () => {
    discord.addRole(guild.guildId, { name: 'captain' });
    const person = await buildPerson();
    roblox.setRank(groupId, person.gameUserId, 200);
    await buildMember(guild, { person });
    const summaryOf = async () => {
      const verified = await press(await search(await open(), groupId), 'Next');
      return press(await press(verified, 'Next'), 'Next');
    };
    expect(labelsOf(await summaryOf()).slice(0, 2)).to.deep.equal(['Apply', 'Try it without changing anything']);
    const permissions = PermissionFlagsBits.ManageRoles;
    discord.addRole(guild.guildId, { name: 'OtherBot', permissions, managed: true });
    await eventually(() => discord.roles(guild.guildId).some(({ name }) => name === 'OtherBot'));
    const offered = await press(await open(), 'Check again');
    expect(offered.words).to.contain('Another bot with **Manage Roles** is in this server: OtherBot.');
    expect(labelsOf(offered).slice(0, 2)).to.deep.equal(['Try it without changing anything', 'Apply']);
    const applied = await discord.press(guild.guildId, guild.ownerId, offered, 'Try it without changing anything');
    await applied.replyMatching(/is set up/);
    await eventually(async () => {
      const { body } = await guild.api.get(`${guild.path}/differences/counts`);
      return body.gaining === 1;
    }, 'the difference');
    expect((await readSettings(guild.guildId)).mode).to.equal('observe');
    expect(discord.member(guild.guildId, person.chatUserId)?.roleIds).to.deep.equal([]);
  });

  it('/setup continues where it was left, and applied twice adds nothing twice', async () => {
    await press(await search(await open(), groupId), 'Next');
    const again = await open();
    expect(again.words).to.contain('Step 3 of 5');
    const chosen = await choose(again, 'nickname', 'off');
    expect(chosen.words).to.contain('Nicknames stay as they are.');
    const panel = await choose(await press(chosen, 'Next'), 'channel');
    expect(panel.words).to.contain('No panel is posted');
    const summary = await press(panel, 'Next');
    await (await discord.press(guild.guildId, guild.ownerId, summary, 'Apply')).replyMatching(/is set up/);
    expect((await readSettings(guild.guildId)).nickname.enabled).to.equal(false);
    const known = await press(await choose(await open(), 'group', groupId), 'Next');
    const noPanel = await choose(await press(known, 'Next'), 'channel');
    const unchanged = await press(noPanel, 'Next');
    expect(unchanged.words).not.to.contain('➕');
    await (await discord.press(guild.guildId, guild.ownerId, unchanged, 'Apply')).replyMatching(/is set up/);
    expect(await listAllMappings(guild.guildId)).to.have.length(1);
    expect(posted()).to.deep.equal([]);
  });

  it('/setup offers a choice among several groups, and reports that none was found', async () => {
    const other = roblox.addGroup({ name: `${groupName} Reserve`, roles: [{ name: 'Guest', rank: 0 }] }).id;
    const start = await open();
    expect((await search(start, 'No such group at all')).words).to.contain('no group with that name');
    const found = await search(start, groupName);
    expect(found.words).to.contain('Several groups');
    expect((await choose(found, 'group', other)).words).to.contain('Reserve');
    expect((await findGroups(guild.guildId)).map((each) => each.groupId)).to.deep.equal([other]);
  });

  it('/setup posts the panel in the words that were chosen', async () => {
    const withoutRole = await press(await open(), 'Continue without a group');
    const start = await press(withoutRole, 'Create a role “Verified”');
    expect(start.words).to.contain(`verified gets <@&${roleNamed('Verified')?.id}>`);
    const panel = await press(start, 'Next');
    const form = await discord.press(guild.guildId, guild.ownerId, panel, 'Change its text');
    const look = { title: 'Come aboard', text: 'Read **the rules** first.', button: 'Aboard!', color: '#ff8800' };
    const named = await privateAnswer(discord.submit(form, look));
    expect(named.words).to.contain('Come aboard');
    const summary = await press(named, 'Next');
    await (await discord.press(guild.guildId, guild.ownerId, summary, 'Apply')).replyMatching(/is set up/);
    const [message] = posted();
    expect(message?.embeds[0]).to.include({ title: 'Come aboard', description: look.text, color: 0xff8800 });
    expect(message && labelsOf(message)).to.deep.equal(['Aboard!']);
  });
});

describe('The limits of /setup', () => {
  withGroup();

  // DISC-23
  it('/setup checks the bot’s place live, and offers to check it again', async () => {
    const boss = discord.addRole(guild.guildId, { name: 'Boss', position: 50 }).id;
    const place = await open();
    expect(place.words).to.contain('1 role is above').and.contain(`<@&${boss}>`);
    discord.moveRole(guild.guildId, boss, 1);
    const fine = await press(place, 'Check again');
    expect(fine.words).to.contain('✅ The bot can give every role below its own').and.contain('Step 1 of 5');
    const weak = await buildGuild({ botPermissions: PermissionFlagsBits.ViewChannel });
    const words = await privateWords(discord.command(weak.guildId, weak.ownerId, 'setup'));
    expect(words).to.contain('Manage Roles').and.contain('Manage Nicknames');
  });

  it('/setup requires the team role admin', async () => {
    const manager = await buildDiscordManager(guild);
    await distrustDiscordAdmins(guild);
    expect((await open(manager.chatUserId)).words).to.equal('You need the team role admin in this server.');
  });

  // DISC-30
  it('/setup shows how many roles there was no room for', async () => {
    const room = 250 - discord.roles(guild.guildId).length;
    for (let n = 1; n < room; n += 1) discord.addRole(guild.guildId, { name: `Filler ${n}`, position: 300 });
    const ranks = await search(await press(await open(), 'Next'), groupId);
    const made = await press(ranks, 'Create the missing roles');
    expect(made.words).to.contain('1 role was created').and.contain("3 roles couldn't be created");
  });
});
