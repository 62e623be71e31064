import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { chatUser } from '../../../src/core/actors/actor.js';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { unlinkMember } from '../../../src/features/members/member-unlinks.js';
import { noteSync } from '../../../src/features/members/sync-notes.js';
import { syncMember } from '../../../src/features/sync/member/member-sync.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildPerson, eventually, linkPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import {
  addRole,
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  lastSyncOf,
  mapTo,
  memberWrites,
  pendingSyncOf,
  rankFrom,
  refusal,
  rolesOf,
  setSettings,
  sync,
  withoutNicknames,
} from './sync-setup.js';

// SYNC-16, SYNC-22
describe('Syncs of a member', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: GroupGuild;

  before(async () => {
    ({ discord, roblox } = await world());
  });
  beforeEach(async () => {
    guild = await buildGroupGuild();
    await withoutNicknames(guild);
  });

  it('A sync follows promotion, demotion and leaving the group, and logs its changes', async () => {
    const [memberRole] = await mapTo(guild, rankFrom(guild, 1));
    const [officerRole] = await mapTo(guild, rankFrom(guild, 100));
    const person = await buildSettledMember(guild);
    const { gameUserId } = person;
    const steps = [
      { rank: 1, added: [memberRole], removed: [], roles: [memberRole] },
      { rank: 100, added: [officerRole], removed: [], roles: [memberRole, officerRole] },
      { rank: 1, added: [], removed: [officerRole], roles: [memberRole] },
      { rank: 0, added: [], removed: [memberRole], roles: [] },
    ];
    for (const { rank, added, removed, roles } of steps) {
      if (rank === 0) roblox.leaveGroup(guild.groupId, gameUserId);
      else roblox.setRank(guild.groupId, gameUserId, rank);
      expect(await sync(guild, person)).to.deep.include({ added, removed, blocked: [] });
      expect(await rolesOf(guild, person)).to.have.members(roles);
      expect(await lastSyncOf(guild, person)).to.deep.include({ trigger: 'command', added, removed, blocked: [] });
      const [entry] = await latestEntries(guild.guildId, 1);
      // LOG-25
      const { tookMs, ...changes } = entry?.changes ?? {};
      const trigger = { from: null, to: 'command' };
      expect({ action: entry?.action, changes }).to.deep.equal({
        action: 'member.synced',
        changes: { roles: { from: removed, to: added }, trigger },
      });
      expect(tookMs?.to).to.satisfy((ms: unknown) => Number.isInteger(ms) && Number(ms) >= 0);
      expect(entry?.target).to.include({ kind: 'member', id: person.chatUserId });
    }
    expect(await pendingSyncOf(guild, person)).to.equal(undefined);
  });

  it('A sync with nothing to do sends no writing call, and leaves no entry in the log', async () => {
    await mapTo(guild, { type: 'verified' });
    const person = await buildSettledMember(guild);
    const before = await latestEntries(guild.guildId, 50);
    discord.forgetRequests();
    expect(await sync(guild, person)).to.deep.include({ added: [], removed: [] });
    expect(await memberWrites(guild)).to.deep.equal([]);
    expect(await latestEntries(guild.guildId, 50)).to.have.length(before.length);
    expect(await lastSyncOf(guild, person)).to.deep.include({ added: [], removed: [] });
  });

  // SYNC-13, SYNC-23
  it('A sync makes one change by one call for that role, with the reason in Discord’s audit log', async () => {
    const [roleId] = await mapTo(guild, rankFrom(guild, 100));
    const person = await buildSettledMember(guild);
    const { chatUserId, gameUserId } = person;
    roblox.setRank(guild.groupId, gameUserId, 100);
    discord.forgetRequests();
    await syncMember(guild.guild, chatUserId, { trigger: 'command', actor: chatUser('7', 'Ann ☂') });
    expect(await memberWrites(guild)).to.deep.equal([`PUT ${chatUserId}/roles/${roleId}`]);
    expect(discord.auditLog(guild.guildId).at(-1)).to.deep.include({
      action: 'MEMBER_ROLE_UPDATE',
      userId: chatUserId,
      executorId: discord.application.botUserId,
      roleId,
      reason: 'Rolelink command by Ann ☂',
    });

    roblox.setRank(guild.groupId, gameUserId, 1);
    discord.forgetRequests();
    await sync(guild, person);
    expect(await memberWrites(guild)).to.deep.equal([`DELETE ${chatUserId}/roles/${roleId}`]);
    expect(discord.auditLog(guild.guildId).at(-1)?.reason).to.equal('Rolelink command');
  });

  // SYNC-14, SYNC-23
  it('A sync makes several changes by one PATCH that keeps all other roles, even those above the bot', async () => {
    const wanted = await mapTo(guild, rankFrom(guild, 100), { roles: 3 });
    const [unverified] = await mapTo(guild, { type: 'unverified' });
    const [foreign, high] = [await addRole(guild), await addRole(guild, { name: 'Staff', position: 99 })];
    const person = await buildSettledMember(guild, { linked: false, roleIds: [foreign, high, unverified ?? ''] });
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    await linkPerson(guild.guildId, person);
    discord.forgetRequests();
    const result = await sync(guild, person);
    expect(result.added).to.have.members(wanted);
    expect(result.removed).to.deep.equal([unverified]);
    expect(await memberWrites(guild)).to.deep.equal([`PATCH ${person.chatUserId}`]);
    expect(await rolesOf(guild, person)).to.have.members([foreign, high, ...wanted]);
    expect(discord.auditLog(guild.guildId).at(-1)?.reason).to.equal('Rolelink command');
  });

  // MAP-2
  it('A sync uses all roles that a person holds in a group', async () => {
    const gameRoles = ['Artist', 'Musician'].map((name) => roblox.addGroupRole(guild.groupId, { name, rank: 20 }).id);
    const roleIds: string[] = [];
    for (const gameRoleId of gameRoles) {
      roleIds.push(...(await mapTo(guild, { type: 'group_role', groupId: guild.groupId, gameRoleId })));
    }
    const person = await buildSettledMember(guild);
    roblox.setGroupRoles(guild.groupId, person.gameUserId, gameRoles);
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.have.members(roleIds);
    roblox.setGroupRoles(guild.groupId, person.gameUserId, gameRoles.slice(1));
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal(roleIds.slice(1));
  });

  it('A sync names a role that the bot may not hand out, gives the rest, and gives that role once it may', async () => {
    const high = await addRole(guild);
    await mapTo(guild, { type: 'verified' }, { roleIds: [high] });
    const [low] = await mapTo(guild, { type: 'verified' });
    discord.moveRole(guild.guildId, high, 99);
    const person = await buildSettledMember(guild, { linked: false });
    await linkPerson(guild.guildId, person);
    const blocked = [{ roleId: high, reason: 'role_above_bot' }];
    expect(await sync(guild, person)).to.deep.include({ added: [low], blocked });
    expect((await lastSyncOf(guild, person))?.blocked).to.deep.equal(blocked);
    expect(await rolesOf(guild, person)).to.deep.equal([low]);

    discord.moveRole(guild.guildId, discord.botRole(guild.guildId).id, 99);
    await eventually(async () => (await sync(guild, person)).added[0] === high, 'the role');
    expect(await rolesOf(guild, person)).to.have.members([low, high]);
  });

  it('A sync takes no role while the bot may not manage roles, and names it as blocked', async () => {
    const [roleId] = await mapTo(guild, rankFrom(guild, 100));
    const person = await buildSettledMember(guild);
    discord.setMemberRoles(guild.guildId, person.chatUserId, [roleId ?? '']);
    discord.updateRole(guild.guildId, discord.botRole(guild.guildId).id, { permissions: 0n });
    const blocked = [{ roleId, reason: 'missing_permission' }];
    expect(await sync(guild, person)).to.deep.include({ removed: [], blocked });
    expect(await rolesOf(guild, person)).to.deep.equal([roleId]);
  });

  it('A mapping that never removes only adds roles', async () => {
    const [roleId] = await mapTo(guild, rankFrom(guild, 100), { removeWhenUnmatched: false });
    const person = await buildSettledMember(guild);
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    await sync(guild, person);
    roblox.setRank(guild.groupId, person.gameUserId, 1);
    expect(await sync(guild, person)).to.deep.include({ added: [], removed: [] });
    expect(await rolesOf(guild, person)).to.deep.equal([roleId]);
  });

  it('A sync leaves the roles of a group that Roblox has deleted, from the first moment on', async () => {
    const [roleId] = await mapTo(guild, rankFrom(guild, 1));
    const [verified] = await mapTo(guild, { type: 'verified' });
    const person = await buildSettledMember(guild);
    roblox.setRank(guild.groupId, person.gameUserId, 1);
    await sync(guild, person);
    roblox.removeGroup(guild.groupId);
    discord.setMemberRoles(guild.guildId, person.chatUserId, [roleId ?? '']);
    expect(await sync(guild, person)).to.deep.include({ added: [verified], removed: [] });
    expect(await rolesOf(guild, person)).to.have.members([roleId, verified]);
  });

  // SYNC-9
  it('A sync gives a role for people outside of a group by no older reading of a group that is deleted', async () => {
    const outside = { type: 'not', of: { type: 'group_member', groupId: guild.groupId } } as const;
    const [roleId] = await mapTo(guild, outside);
    const person = await buildSettledMember(guild);
    expect(await rolesOf(guild, person)).to.deep.equal([roleId]);
    discord.setMemberRoles(guild.guildId, person.chatUserId, []);
    roblox.removeGroup(guild.groupId);
    expect(await sync(guild, person)).to.deep.include({ added: [], removed: [] });
    expect(await rolesOf(guild, person)).to.deep.equal([]);
  });

  // RESYNC-15
  it('Syncs that ask Roblox at the same time share its calls', async () => {
    await mapTo(guild, rankFrom(guild, 1));
    const people = await Promise.all(Array.from({ length: 12 }, () => buildSettledMember(guild)));
    for (const { gameUserId } of people) roblox.setRank(guild.groupId, gameUserId, 1);
    roblox.forgetRequests();
    const reads = roblox.hold({ match: /groups\/-\/memberships/, times: 2 });
    const all = people.map((person) => sync(guild, person));
    await reads.reached;
    await delay(500);
    reads.letGo();
    for (const { added } of await Promise.all(all)) expect(added).to.have.length(1);
    const calls = roblox.requests.filter(({ path }) => path.endsWith('/groups/-/memberships'));
    expect(calls.length).to.be.at.most(4);
  });

  it('A sync is refused in a suspended guild, and asks Discord nothing', async () => {
    await mapTo(guild, { type: 'verified' });
    const person = await buildSettledMember(guild, { linked: false });
    await linkPerson(guild.guildId, person);
    discord.forgetRequests();
    const suspended = { ...guild.guild, state: 'suspended' as const };
    const cause = { trigger: 'command' as const, actor: chatUser('7', 'Ann') };
    expect(await refusal(syncMember(suspended, person.chatUserId, cause))).to.include({ code: 'guild_suspended' });
    expect(discord.requests.filter(({ path }) => path.includes(person.chatUserId))).to.deep.equal([]);
    expect(await rolesOf(guild, person)).to.deep.equal([]);
  });

  it('A sync reports that a person is not in the server, and keeps their link', async () => {
    const person = await buildSettledMember(guild);
    discord.leave(guild.guildId, person.chatUserId);
    expect(await refusal(sync(guild, person))).to.include({ kind: 'not_found', code: 'member_not_found' });
    expect(await findMember(guild.guildId, person.chatUserId)).to.include({ state: 'linked', present: false });
    expect(await pendingSyncOf(guild, person)).to.equal(undefined);
    const stranger = await buildPerson();
    expect(await refusal(sync(guild, stranger))).to.include({ code: 'member_not_found' });
    expect(await findMember(guild.guildId, stranger.chatUserId)).to.equal(null);
  });

  it('A member keeps their last ten syncs', async () => {
    const person = await buildSettledMember(guild);
    const done = { trigger: 'command' as const, added: [], removed: [], blocked: [] };
    for (let n = 0; n < 12; n += 1) {
      await noteSync(guild.guildId, person, {
        record: { ...done, at: new Date(n) },
        blockedBy: [],
        outbox: [],
        lease: { fence: Number.MAX_SAFE_INTEGER },
      });
    }
    const member = await findMember(guild.guildId, person.chatUserId);
    expect(member?.syncs.map(({ at }) => at.getTime())).to.deep.equal([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });
});

describe('Syncs of a nickname', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: GroupGuild;
  const nicknameOf = ({ chatUserId }: { chatUserId: string }) => discord.member(guild.guildId, chatUserId)?.nickname;

  before(async () => {
    ({ discord, roblox } = await world());
  });
  beforeEach(async () => {
    guild = await buildGroupGuild();
  });

  it('A sync gives a nickname by the template and the newest name on Roblox, and restores it after a change', async () => {
    const template = '{groupRole:ID} {gameUsername}'.replace('ID', guild.groupId);
    await setSettings(guild, { nickname: { enabled: true, template } });
    const person = await buildSettledMember(guild);
    expect(nicknameOf(person)).to.equal(person.gameUsername);
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    const renamed = `${person.gameUsername}New`;
    roblox.renameUser(person.gameUserId, renamed);
    discord.forgetRequests();
    expect(await sync(guild, person)).to.include({ nickname: `Officer ${renamed}` });
    expect(await memberWrites(guild)).to.deep.equal([`PATCH ${person.chatUserId}`]);
    expect(nicknameOf(person)).to.equal(`Officer ${renamed}`);
    const member = await findMember(guild.guildId, person.chatUserId);
    expect(member).to.include({ gameUsername: renamed, givenNickname: `Officer ${renamed}` });
    expect(member?.names).to.include(renamed.toLowerCase());
    expect((await latestEntries(guild.guildId, 1))[0]?.changes).to.deep.include({
      nickname: { from: person.gameUsername, to: `Officer ${renamed}` },
    });

    discord.setNickname(guild.guildId, person.chatUserId, 'Somebody');
    await sync(guild, person);
    expect(nicknameOf(person)).to.equal(`Officer ${renamed}`);
  });

  it('A nickname stays for a banned account, and while the group that it names is gone', async () => {
    const template = '{groupRole:ID} {gameUsername}'.replace('ID', guild.groupId);
    await setSettings(guild, { nickname: { enabled: true, template } });
    const person = await buildSettledMember(guild, { linked: false });
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    await linkPerson(guild.guildId, person);
    await sync(guild, person);
    roblox.setBanned(person.gameUserId, true);
    expect(await sync(guild, person)).to.include({ nickname: undefined });
    roblox.removeGroup(guild.groupId);
    await sync(guild, person);
    const after = await sync(guild, { chatUserId: person.chatUserId });
    expect(after).to.include({ nickname: undefined, nicknameBlocked: null });
    expect(nicknameOf(person)).to.equal(`Officer ${person.gameUsername}`);
  });

  it('A sync gives the roles, but no nickname, where Discord lets no bot change the nickname', async () => {
    const [roleId] = await mapTo(guild, { type: 'verified' });
    const high = await addRole(guild, { name: 'Staff', position: 99 });
    const staff = await buildSettledMember(guild, { linked: false, roleIds: [high] });
    const owner = { ...(await buildPerson()), chatUserId: guild.ownerId };
    for (const [person, nicknameBlocked] of [
      [staff, 'member_above_bot'],
      [owner, 'guild_owner'],
    ] as const) {
      await linkPerson(guild.guildId, person);
      expect(await sync(guild, person)).to.deep.include({ added: [roleId], nickname: undefined, nicknameBlocked });
      expect(nicknameOf(person)).to.equal(null);
      expect(await rolesOf(guild, person)).to.include(roleId);
    }
  });

  it('Unlinking takes back the roles and a nickname that is ours, and leaves one that is not', async () => {
    await mapTo(guild, { type: 'verified' });
    const [mine, theirs] = [await buildSettledMember(guild), await buildSettledMember(guild)];
    discord.setNickname(guild.guildId, theirs.chatUserId, 'Chosen');
    for (const { chatUserId } of [mine, theirs])
      await unlinkMember(guild.guild, chatUserId, chatUser(guild.ownerId, 'Ann'));
    await eventually(async () => (await lastSyncOf(guild, mine))?.trigger === 'unlink', 'the sync');
    await eventually(async () => (await lastSyncOf(guild, theirs))?.trigger === 'unlink', 'the sync');
    expect(nicknameOf(mine)).to.equal(null);
    expect(nicknameOf(theirs)).to.equal('Chosen');
    expect(await rolesOf(guild, mine)).to.deep.equal([]);
    expect(await lastSyncOf(guild, mine)).to.include({ nickname: null });
    expect(await findMember(guild.guildId, mine.chatUserId)).not.to.have.property('givenNickname');
  });

  it('Unlinking leaves the nickname and the roles where the settings ask for it', async () => {
    await setSettings(guild, { unlink: { removeRoles: false, resetNickname: false } });
    const [verified] = await mapTo(guild, { type: 'verified' });
    const [unverified] = await mapTo(guild, { type: 'unverified' });
    const person = await buildSettledMember(guild);
    expect(defaultSettings.unlink).to.deep.equal({ removeRoles: true, resetNickname: true });
    await unlinkMember(guild.guild, person.chatUserId, chatUser(guild.ownerId, 'Ann'));
    await eventually(async () => (await lastSyncOf(guild, person))?.trigger === 'unlink', 'the sync');
    expect(nicknameOf(person)).to.equal(person.gameUsername);
    expect(await rolesOf(guild, person)).to.have.members([verified, unverified]);
  });
});
