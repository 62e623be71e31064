import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { Teammates } from '../../../src/core/access/teammate-model.js';
import { findGroups } from '../../../src/core/groups/group-service.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { readSettings, writeSettings } from '../../../src/core/settings/settings-service.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { type Api, api, signIn } from '../../support/api.js';
import { buildGuild, buildMember, buildPerson, eventually, type TestGuild, tokenFor } from '../../support/build.js';
import { world } from '../../support/world.js';

const { ManageGuild, Administrator, ManageRoles } = PermissionFlagsBits;

/** The caller's role in the guild, from the list and the detail; null if the guild is missing. */
async function rolesSeen(
  caller: Api,
  { guildId, path }: TestGuild,
): Promise<{ list: string | null; detail: string | null }> {
  const [list, detail] = [await caller.get('/api/guilds'), await caller.get(path)];
  expect(list.status).to.equal(200);
  expect(detail.status).to.be.oneOf([200, 404]);
  if (detail.status === 404) expect(detail.body.code).to.equal('guild_not_found');
  const listed = list.body.data.find((item: { guildId: string }) => item.guildId === guildId);
  return { list: listed?.role ?? null, detail: detail.body.role ?? null };
}

const as = (role: string | null) => ({ list: role, detail: role });

/** Waits until Discord's event has arrived and the role is seen everywhere. */
const eventuallySeen = (caller: Api, guild: TestGuild, role: string | null) =>
  eventually(async () => {
    const { list, detail } = await rolesSeen(caller, guild);
    return list === role && detail === role;
  }, `the role ${role}`);

/** A person with a Discord role that has these permissions in the guild. */
async function joinWith(guild: TestGuild, permissions: bigint) {
  const { discord } = await world();
  const { id: roleId } = discord.addRole(guild.guildId, { name: 'Staff', permissions });
  const person = await buildMember(guild, { linked: false, roleIds: [roleId] });
  return { ...person, roleId };
}

async function invite(guild: TestGuild, chatUserId: string, role: 'viewer' | 'manager' | 'admin'): Promise<void> {
  const more = { state: 'invited', invitedBy: guild.ownerId, invitedAt: new Date() } as const;
  await Teammates.insert({ guildId: guild.guildId, chatUserId, username: 'teammate', role, ...more });
}

// API-59
describe('Guilds in the API', () => {
  // API-60
  it('The API shows its owner a guild, whole', async () => {
    const guild = await buildGuild({ name: 'Mine' });
    await buildMember(guild);
    const other = await buildGuild();
    const owner = await signIn(guild.ownerId);
    const summary = {
      guildId: guild.guildId,
      name: 'Mine',
      iconUrl: null,
      role: 'owner',
      plan: 'enterprise',
      state: 'active',
      linkedMembers: 1,
    };
    const list = await owner.get('/api/guilds');
    expect(list.body).to.deep.equal({ data: [summary], nextCursor: null });
    const { body } = await owner.get(guild.path);
    const { memberCount, botPermissions, ...rest } = body;
    expect(rest).to.deep.equal({ ...summary, ownerId: guild.ownerId, mode: 'enforce', health: [] });
    expect(memberCount).to.be.within(2, 3);
    expect(botPermissions).to.include('ManageRoles');
    expect((await owner.get(other.path)).status).to.equal(404);
  });

  it('The API finds a guild by the start of its name or id, for people and for the platform', async () => {
    const guild = await buildGuild({ name: 'Zebra Crossing' });
    await buildGuild({ name: 'Not a zebra' });
    const owner = await signIn(guild.ownerId);
    for (const caller of [owner, api(await tokenFor('*', 'viewer'))]) {
      for (const q of ['zebra c', guild.guildId]) {
        const { body } = await caller.get(`/api/guilds?q=${encodeURIComponent(q)}`);
        expect(body.data.map(({ guildId }: TestGuild) => guildId)).to.deep.equal([guild.guildId]);
      }
      expect((await caller.get('/api/guilds?q=crossing')).body.data).to.deep.equal([]);
    }
  });

  it('The API shows nothing to a person without any role', async () => {
    const guild = await buildGuild();
    const member = await signIn((await buildMember(guild)).chatUserId);
    expect((await member.get('/api/guilds')).body).to.deep.equal({ data: [], nextCursor: null });
    expect(await rolesSeen(member, guild)).to.deep.equal(as(null));
  });

  // AUTH-30
  it('The API shows a new owner the guild, and the old owner no longer', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const heir = await buildMember(guild, { linked: false });
    const [before, after] = [await signIn(guild.ownerId), await signIn(heir.chatUserId)];
    discord.transferGuild(guild.guildId, heir.chatUserId);
    await eventuallySeen(after, guild, 'owner');
    expect(await rolesSeen(before, guild)).to.deep.equal(as(null));
  });

  it('A bot token sees its own guild with its own role, and the platform’s token every guild', async () => {
    const [guild, other] = [await buildGuild(), await buildGuild()];
    const mine = api(await tokenFor(guild.guildId, 'manager'));
    expect((await mine.get('/api/guilds')).body.data).to.have.length(1);
    expect(await rolesSeen(mine, guild)).to.deep.equal(as('manager'));
    expect(await rolesSeen(mine, other)).to.deep.equal(as(null));
    const platform = api(await tokenFor('*', 'viewer'));
    for (const { path } of [guild, other]) expect((await platform.get(path)).body.role).to.equal('viewer');
  });

  it('A guild that the bot was removed from is hidden, and comes back with all its data', async () => {
    const { discord, roblox } = await world();
    const guild = await buildGuild();
    const { guildId } = guild;
    const { chatUserId } = await buildMember(guild);
    const owner = await signIn(guild.ownerId);
    const groupId = roblox.addGroup({ name: 'Kept' }).id;
    expect((await owner.post(`${guild.path}/groups`, { groupId })).status).to.equal(201);
    await writeSettings(guildId, { ...defaultSettings, trustDiscordAdmins: false });
    discord.removeBot(guildId);
    await eventuallySeen(owner, guild, null);
    expect((await guild.api.get(guild.path)).status).to.equal(404);
    expect((await guild.api.get(`${guild.path}/groups`)).status).to.equal(404);
    expect(await GuildRecord.findById(guildId).lean()).to.include({ present: false });

    discord.addBot(guildId);
    await eventuallySeen(owner, guild, 'owner');
    const { body } = await owner.get(`${guild.path}/groups`);
    expect(body.data.map((group: { groupId: string }) => group.groupId)).to.deep.equal([groupId]);
    expect((await owner.get(guild.path)).body.linkedMembers).to.equal(1);
    expect((await findMember(guildId, chatUserId))?.state).to.equal('linked');
    expect((await readSettings(guildId)).trustDiscordAdmins).to.equal(false);
  });

  // API-60
  it('A suspended guild is still shown, with its suspension', async () => {
    const guild = await buildGuild();
    const owner = await signIn(guild.ownerId);
    const suspension = { reason: 'Spam', at: new Date(), by: 'test' };
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { state: 'suspended', suspension } });
    expect((await owner.get('/api/guilds')).body.data[0]).to.include({ guildId: guild.guildId, state: 'suspended' });
    expect((await owner.get(guild.path)).body).to.include({ state: 'suspended', role: 'owner' });
    const refused = await owner.get(`${guild.path}/groups`);
    expect(refused.status).to.equal(403);
    expect(refused.body).to.include({ code: 'guild_suspended', detail: 'This server is suspended: Spam.' });
  });
});

describe('Guilds of a teammate', () => {
  it('A teammate sees the guild with the role that they were given, and is active from the first visit', async () => {
    const guild = await buildGuild();
    const { chatUserId } = await buildPerson();
    await invite(guild, chatUserId, 'manager');
    const teammate = await signIn(chatUserId);
    const { invitations } = (await teammate.get('/api/auth/me')).body;
    expect(invitations).to.have.length(1);
    const { _id: guildId, name: guildName } = guild.guild;
    expect(invitations[0]).to.include({ guildId, guildName, role: 'manager', invitedBy: guild.ownerId });
    expect(await rolesSeen(teammate, guild)).to.deep.equal(as('manager'));
    expect((await Teammates.findOne({ guildId: guild.guildId, chatUserId }))?.state).to.equal('active');
    expect((await teammate.get('/api/auth/me')).body.invitations).to.deep.equal([]);
  });

  it('A teammate’s demotion or removal holds at the very next request', async () => {
    const guild = await buildGuild();
    const { chatUserId } = await buildPerson();
    await invite(guild, chatUserId, 'manager');
    const teammate = await signIn(chatUserId);
    const { roblox } = await world();
    const add = async () =>
      (await teammate.post(`${guild.path}/groups`, { groupId: roblox.addGroup({ name: 'Next' }).id })).status;
    expect(await add()).to.equal(201);
    const row = { guildId: guild.guildId, chatUserId };
    await Teammates.update(row, { $set: { role: 'viewer' } });
    expect(await add()).to.equal(403);
    expect(await rolesSeen(teammate, guild)).to.deep.equal(as('viewer'));
    await Teammates.remove(row);
    expect(await add()).to.equal(404);
    expect(await rolesSeen(teammate, guild)).to.deep.equal(as(null));
    expect(await findGroups(guild.guildId)).to.have.length(1);
  });
});

// AUTH-31
describe('Guilds of a Discord admin', () => {
  for (const [name, permission] of Object.entries({ ManageGuild, Administrator })) {
    it(`A person with ${name} on Discord counts as admin`, async () => {
      const guild = await buildGuild();
      const { chatUserId } = await joinWith(guild, permission);
      expect(await rolesSeen(await signIn(chatUserId), guild)).to.deep.equal(as('admin'));
    });
  }

  it('A person with other Discord permissions has no role in the guild', async () => {
    const guild = await buildGuild();
    const { chatUserId } = await joinWith(guild, ManageRoles);
    expect(await rolesSeen(await signIn(chatUserId), guild)).to.deep.equal(as(null));
  });

  it('A Discord admin is trusted only while the setting allows it, and has the higher role as teammate', async () => {
    const guild = await buildGuild();
    const { chatUserId } = await joinWith(guild, ManageGuild);
    const admin = await signIn(chatUserId);
    await writeSettings(guild.guildId, { ...defaultSettings, trustDiscordAdmins: false });
    expect(await rolesSeen(admin, guild)).to.deep.equal(as(null));
    await invite(guild, chatUserId, 'viewer');
    expect(await rolesSeen(admin, guild)).to.deep.equal(as('viewer'));
    await writeSettings(guild.guildId, defaultSettings);
    expect(await rolesSeen(admin, guild)).to.deep.equal(as('admin'));
  });

  it('A Discord admin’s access ends with the Discord role, with its permission, and with leaving', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const { chatUserId, roleId } = await joinWith(guild, ManageGuild);
    const admin = await signIn(chatUserId);
    expect(await rolesSeen(admin, guild)).to.deep.equal(as('admin'));
    discord.setMemberRoles(guild.guildId, chatUserId, []);
    await eventuallySeen(admin, guild, null);
    discord.setMemberRoles(guild.guildId, chatUserId, [roleId]);
    await eventuallySeen(admin, guild, 'admin');
    discord.updateRole(guild.guildId, roleId, { permissions: 0n });
    await eventuallySeen(admin, guild, null);
    discord.updateRole(guild.guildId, roleId, { permissions: Administrator });
    await eventuallySeen(admin, guild, 'admin');
    discord.leave(guild.guildId, chatUserId);
    await eventuallySeen(admin, guild, null);
  });

  it('A new Discord admin gets in immediately, and their list has the guild from the next sign-in on', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const { chatUserId } = await buildMember(guild, { linked: false });
    const caller = await signIn(chatUserId);
    const { id: roleId } = discord.addRole(guild.guildId, { name: 'Staff', permissions: ManageGuild });
    discord.setMemberRoles(guild.guildId, chatUserId, [roleId]);
    await eventually(async () => (await caller.get(guild.path)).status === 200, 'the new admin');
    expect(await rolesSeen(caller, guild)).to.deep.equal({ list: null, detail: 'admin' });
    expect(await rolesSeen(await signIn(chatUserId), guild)).to.deep.equal(as('admin'));
  });
});
