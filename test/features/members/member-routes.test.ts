import { expect } from 'chai';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { api } from '../../support/api.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildPerson, eventually, linkPerson, type TestPerson, tokenFor } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import {
  addRole,
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  memberWrites,
  pendingSyncOf,
  rankFrom,
  reconfigureRoblox,
  rolesOf,
} from '../sync/sync-setup.js';
import { rolesBecome } from './roles-become.js';

let discord: World['discord'];
let roblox: World['roblox'];
let guild: GroupGuild;
let person: TestPerson;
let verified: string;
let officer: string;
let path: string;

/** Registers hooks: each test gets a guild with a linked member, and platforms that are well. */
function useMember(): void {
  withPromptSyncs();

  before(async () => {
    ({ discord, roblox } = await world());
  });

  beforeEach(async () => {
    guild = await buildGroupGuild();
    [verified = ''] = await mapTo(guild, { type: 'verified' });
    [officer = ''] = await mapTo(guild, rankFrom(guild, 100));
    person = await buildSettledMember(guild);
    path = `${guild.path}/members/${person.chatUserId}`;
  });

  afterEach(() => {
    discord.clearFaults();
    roblox.clearFaults();
  });
}

describe('The detail of a member', () => {
  useMember();
  // API-65
  it('The detail shows a member’s ranks, roles held and expected, blocked roles and last syncs', async () => {
    const foreign = await addRole(guild);
    const [high = ''] = await mapTo(guild, rankFrom(guild, 100));
    discord.moveRole(guild.guildId, high, 99);
    discord.setMemberRoles(guild.guildId, person.chatUserId, [verified, foreign]);
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    reconfigureRoblox();
    discord.forgetRequests();
    const body = await eventually(async () => {
      const answer = await guild.api.get(path);
      expect(answer.status).to.equal(200);
      return answer.body.blocked.length > 0 ? answer.body : null;
    }, 'the moved role');
    expect(body).to.deep.include({
      memberId: person.chatUserId,
      status: 'linked',
      gameUserId: person.gameUserId,
      nickname: person.gameUsername,
      rolesHeld: [verified, foreign],
      rolesExpected: [verified, foreign, officer, high],
      blocked: [{ roleId: high, reason: 'role_above_bot' }],
      unavailable: null,
    });
    const [{ groupId, roles }] = body.groupRanks;
    expect(groupId).to.equal(guild.groupId);
    expect(roles.map(({ name, rank }: { name: string; rank: number }) => [name, rank])).to.deep.equal([
      ['Officer', 100],
    ]);
    expect(body.syncs[0].at >= body.syncs.at(-1).at).to.equal(true);
    expect(body.syncs.map(({ trigger }: { trigger: string }) => trigger)).to.include.members(['verification', 'join']);
    expect(await memberWrites(guild)).to.deep.equal([]);
  });

  it('The detail shows roles that the member is to lose as not expected', async () => {
    discord.setMemberRoles(guild.guildId, person.chatUserId, [verified, officer]);
    const { body } = await guild.api.get(`${path}?fresh=true`);
    expect(body).to.deep.include({ rolesHeld: [verified, officer], rolesExpected: [verified], groupRanks: [] });
  });

  it('The detail names the unavailable platform, and returns the rest', async () => {
    reconfigureRoblox();
    roblox.inject({ match: /^GET apis\./, status: 403 });
    const withoutGame = await guild.api.get(path);
    expect(withoutGame.status).to.equal(200);
    const unknown = { unavailable: 'game_platform_unavailable', groupRanks: null, rolesExpected: null };
    expect(withoutGame.body).to.deep.include({ ...unknown, rolesHeld: [verified], nickname: person.gameUsername });
    discord.inject({ match: /^GET .*\/members\/\d+$/, status: 500 });
    const withoutChat = await guild.api.get(`${path}?fresh=true`);
    expect(withoutChat.status).to.equal(200);
    expect(withoutChat.body).to.include({
      unavailable: 'chat_platform_unavailable',
      rolesHeld: null,
      nickname: null,
    });
    expect(withoutChat.body.syncs).to.have.length.greaterThan(0);
  });

  it('The detail shows departed members and members without a link', async () => {
    discord.leave(guild.guildId, person.chatUserId);
    await eventually(async () => !(await findMember(guild.guildId, person.chatUserId))?.present, 'the leaving');
    const { body } = await guild.api.get(path);
    expect(body).to.deep.include({ status: 'left', rolesHeld: null, rolesExpected: null, groupRanks: null });
    const other = await buildSettledMember(guild, { linked: false });
    const unlinked = await guild.api.get(`${guild.path}/members/${other.chatUserId}`);
    expect(unlinked.body).to.deep.include({ status: 'joined', groupRanks: null, rolesHeld: [], rolesExpected: [] });
  });

  it('The detail is not found for a person never seen in the guild', async () => {
    const stranger = await buildPerson();
    const { status, body } = await guild.api.get(`${guild.path}/members/${stranger.chatUserId}`);
    expect([status, body.code]).to.deep.equal([404, 'member_not_found']);
  });
});

describe('The resync of a member', () => {
  useMember();
  it('A member’s resync returns its changes and logs the caller', async () => {
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    discord.setNickname(guild.guildId, person.chatUserId, null);
    const { status, body } = await guild.api.post(`${path}/resync`);
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      added: [officer],
      removed: [],
      nickname: person.gameUsername,
      blocked: [],
      nicknameBlocked: null,
    });
    expect(await rolesOf(guild, person)).to.have.members([verified, officer]);
    const [entry] = await latestEntries(guild.guildId, 1);
    expect(entry).to.deep.include({ action: 'member.synced' });
    expect(entry?.actor.kind).to.equal('bot_token');
    expect(entry?.requestId).to.be.a('string');
    expect(discord.auditLog(guild.guildId).at(-1)?.reason).to.equal('Rolelink api by test owner');
    expect((await guild.api.post(`${path}/resync`)).body).to.deep.include({ added: [], removed: [], nickname: null });
  });

  it('A member’s resync answers 503 while Roblox fails, and is done automatically later', async () => {
    reconfigureRoblox();
    roblox.inject({ match: /^GET apis\./, status: 403 });
    const { status, body } = await guild.api.post(`${path}/resync`);
    expect([status, body.code]).to.deep.equal([503, 'game_platform_unavailable']);
    expect(await pendingSyncOf(guild, person)).to.include({ trigger: 'api', attempts: 1 });
  });

  it('A member’s resync answers 404 for people outside the server, and needs a manager', async () => {
    discord.leave(guild.guildId, person.chatUserId);
    const stranger = await buildPerson();
    for (const memberId of [person.chatUserId, stranger.chatUserId]) {
      const { status, body } = await guild.api.post(`${guild.path}/members/${memberId}/resync`);
      expect([status, body.code]).to.deep.equal([404, 'member_not_found']);
    }
    const viewer = api(await tokenFor(guild.guildId, 'viewer'));
    expect((await viewer.post(`${path}/resync`)).status).to.equal(403);
  });
});

describe('The unlink of a member', () => {
  useMember();
  it('A member’s unlink takes link and roles in this guild, and the log names the actor', async () => {
    expect((await guild.api.delete(`${path}/link`)).status).to.equal(204);
    expect(await findMember(guild.guildId, person.chatUserId)).to.include({
      state: 'unlinked',
      autoLinkBlocked: true,
    });
    await rolesBecome(guild, person, []);
    const entries = await latestEntries(guild.guildId, 10);
    const entry = entries.find(({ action }) => action === 'member.unlinked');
    expect(entry?.target).to.deep.equal({ kind: 'member', id: person.chatUserId, name: person.username });
    expect(entry?.actor.kind).to.equal('bot_token');
    expect(entry?.changes).to.deep.equal({
      gameUserId: { from: person.gameUserId, to: null },
      reason: { from: null, to: 'admin' },
      autoLinkBlocked: { from: false, to: true },
    });
    const { status, body } = await guild.api.delete(`${path}/link`);
    expect([status, body.code]).to.deep.equal([404, 'member_not_found']);
  });

  // ID-5
  it('Only admins of the member’s own guild unlink a member', async () => {
    const manager = api(await tokenFor(guild.guildId, 'manager'));
    expect((await manager.delete(`${path}/link`)).status).to.equal(403);
    const other = await buildGroupGuild();
    expect((await other.api.delete(`${path}/link`)).status).to.equal(404);
    expect((await other.api.delete(`${other.path}/members/${person.chatUserId}/link`)).status).to.equal(404);
    expect(await findMember(guild.guildId, person.chatUserId)).to.include({ state: 'linked' });
  });

  it('Five simultaneous unlinks of a member end the link and log it once', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => guild.api.delete(`${path}/link`)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([204, 404, 404, 404, 404]);
    const entries = await latestEntries(guild.guildId, 20);
    expect(entries.filter(({ action }) => action === 'member.unlinked')).to.have.length(1);
  });

  // API-95
  it('Several members are unlinked in one request, each as alone, and only from the named account', async () => {
    const others = await Promise.all([buildSettledMember(guild), buildSettledMember(guild)]);
    const [second, third] = others;
    if (!second || !third) return expect.fail();
    const nobody = '900000000000000001';
    const members = [
      { memberId: person.chatUserId, gameUserId: person.gameUserId },
      { memberId: second.chatUserId, gameUserId: person.gameUserId },
      { memberId: nobody },
      { memberId: third.chatUserId },
      { memberId: third.chatUserId },
    ];
    const { status, body } = await guild.api.post(`${guild.path}/members/unlink`, { members });
    expect(status).to.equal(200);
    expect(body.data).to.deep.equal(
      members.map(({ memberId }, index) => {
        const unlinked = index === 0 || index === 3;
        return { memberId, unlinked, reason: unlinked ? null : 'not_linked' };
      }),
    );
    for (const one of [person, third]) {
      const blocked = { state: 'unlinked', autoLinkBlocked: true };
      expect(await findMember(guild.guildId, one.chatUserId)).to.include(blocked);
      await rolesBecome(guild, one, []);
    }
    expect(await findMember(guild.guildId, second.chatUserId)).to.include({ state: 'linked' });
    const entries = (await latestEntries(guild.guildId, 20)).filter(({ action }) => action === 'member.unlinked');
    const named = entries.map(({ target, actor }) => [target.id, actor.kind]);
    expect(named).to.have.deep.members([person, third].map(({ chatUserId }) => [chatUserId, 'bot_token']));
    const again = await guild.api.post(`${guild.path}/members/unlink`, { members: members.slice(0, 1) });
    const notLinked = { memberId: person.chatUserId, unlinked: false, reason: 'not_linked' };
    expect(again.body.data).to.deep.equal([notLinked]);
  });

  // API-95
  it('Unlinking several takes the rights of unlinking one, 1 to 100 members, and stays in its guild', async () => {
    const members = [{ memberId: person.chatUserId }];
    const manager = api(await tokenFor(guild.guildId, 'manager'));
    expect((await manager.post(`${guild.path}/members/unlink`, { members })).status).to.equal(403);
    const other = await buildGroupGuild();
    expect((await other.api.post(`${guild.path}/members/unlink`, { members })).status).to.equal(404);
    const elsewhere = await other.api.post(`${other.path}/members/unlink`, { members });
    const notLinked = { memberId: person.chatUserId, unlinked: false, reason: 'not_linked' };
    expect(elsewhere.body.data).to.deep.equal([notLinked]);
    for (const wrong of [[], Array.from({ length: 101 }, () => members[0])])
      expect((await guild.api.post(`${guild.path}/members/unlink`, { members: wrong })).status).to.equal(400);
    expect(await findMember(guild.guildId, person.chatUserId)).to.include({ state: 'linked' });
  });

  it('A new proof undoes a member’s unlink', async () => {
    await guild.api.delete(`${path}/link`);
    await linkPerson(guild.guildId, person);
    expect((await guild.api.post(`${path}/resync`)).status).to.equal(200);
    expect(await rolesOf(guild, person)).to.deep.equal([verified]);
  });
});
