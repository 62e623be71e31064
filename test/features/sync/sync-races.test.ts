import { expect } from 'chai';
import { systemActor } from '../../../src/core/actors/actor.js';
import { endLink } from '../../../src/features/members/member-links.js';
import { findMember, getMember } from '../../../src/features/members/member-service.js';
import { unlinkMember } from '../../../src/features/members/member-unlinks.js';
import { withPromptSyncs } from '../../support/background.js';
import { eventually, linkPerson, type TestPerson } from '../../support/build.js';
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
  reconfigureRoblox,
  refusal,
  retryNow,
  rolesOf,
  sync,
  withoutNicknames,
} from './sync-setup.js';

const patch = /^PATCH .*\/members\/\d+$/;
const put = /^PUT .*\/members\/\d+\/roles\//;
const memberships = /^GET apis\.roblox\.com\/.*\/memberships$/;

// SYNC-35
describe('Syncs while others make changes', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: GroupGuild;
  let person: TestPerson;
  let roleIds: string[];

  before(async () => {
    ({ discord, roblox } = await world());
  });
  afterEach(() => {
    discord.clearFaults();
    roblox.clearFaults();
  });

  /** A person with this many due roles, as an officer in the group. */
  async function owing(roles: number): Promise<void> {
    guild = await buildGroupGuild();
    await withoutNicknames(guild);
    roleIds = await mapTo(guild, rankFrom(guild, 100), { roles });
    person = await buildSettledMember(guild, { linked: false });
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    await linkPerson(guild.guildId, person);
    discord.forgetRequests();
  }

  for (const roles of [1, 2]) {
    it(`A sync gives the rest when a role is deleted between plan and write (${roles} roles)`, async () => {
      await owing(roles);
      const [gone = '', ...rest] = roleIds;
      const write = discord.hold({ match: roles === 1 ? put : patch });
      const syncing = sync(guild, person);
      await write.reached;
      discord.deleteRole(guild.guildId, gone);
      write.letGo();
      const blocked = [{ roleId: gone, reason: 'role_deleted' }];
      expect(await syncing).to.deep.include({ added: rest, blocked });
      expect(await rolesOf(guild, person)).to.deep.equal(rest);
      expect(await pendingSyncOf(guild, person)).to.equal(undefined);
      expect((await lastSyncOf(guild, person))?.blocked).to.deep.equal(blocked);
    });

    it(`A sync gives the rest when a role is moved above the bot between plan and write (${roles} roles)`, async () => {
      await owing(roles);
      const [high = '', ...rest] = roleIds;
      const write = discord.hold({ match: roles === 1 ? put : patch });
      const syncing = sync(guild, person);
      await write.reached;
      discord.moveRole(guild.guildId, high, 99);
      write.letGo();
      expect(await syncing).to.deep.include({ added: rest, blocked: [{ roleId: high, reason: 'role_above_bot' }] });
      expect(await rolesOf(guild, person)).to.deep.equal(rest);
    });

    it(`A sync reports that the member left between plan and write (${roles} roles)`, async () => {
      await owing(roles);
      const write = discord.hold({ match: roles === 1 ? put : patch });
      const syncing = refusal(sync(guild, person));
      await write.reached;
      discord.leave(guild.guildId, person.chatUserId);
      write.letGo();
      expect(await syncing).to.include({ code: 'member_not_found' });
      await eventually(async () => !(await getMember(guild.guildId, person.chatUserId)).present, 'the absence');
      expect(await findMember(guild.guildId, person.chatUserId)).to.include({ state: 'linked' });
      expect(await pendingSyncOf(guild, person)).to.equal(undefined);
    });
  }

  it('A sync keeps a role that another bot gives while Roblox is being asked', async () => {
    await owing(2);
    const foreign = await addRole(guild);
    const question = roblox.hold({ match: memberships });
    const syncing = sync(guild, person);
    await question.reached;
    discord.setMemberRoles(guild.guildId, person.chatUserId, [foreign]);
    question.letGo();
    await syncing;
    expect(await rolesOf(guild, person)).to.have.members([foreign, ...roleIds]);
  });

  it('A sync keeps a role that another bot gives while Roblox is asked for the second time', async () => {
    await owing(2);
    await sync(guild, person);
    const foreign = await addRole(guild);
    roblox.leaveGroup(guild.groupId, person.gameUserId);
    const question = roblox.hold({ match: /^GET groups\.roblox\.com\/v2\/users/ });
    const syncing = sync(guild, person);
    await question.reached;
    discord.setMemberRoles(guild.guildId, person.chatUserId, [foreign, ...roleIds]);
    question.letGo();
    expect((await syncing).removed).to.have.members(roleIds);
    expect(await rolesOf(guild, person)).to.deep.equal([foreign]);
  });

  it('Two syncs of a member never run at the same time, and twenty of them end right', async () => {
    await owing(2);
    const running: string[] = [];
    const results = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        if (n === 10) roblox.setRank(guild.groupId, person.gameUserId, 1);
        const result = await sync(guild, person);
        running.push(`${result.added.length} ${result.removed.length}`);
        return result;
      }),
    );
    expect(results.reduce((sum, { added, removed }) => sum + added.length + removed.length, 0)).to.be.at.most(4);
    expect(await rolesOf(guild, person)).to.deep.equal([]);
    const at = (await getMember(guild.guildId, person.chatUserId)).syncs.map((record) => record.at.getTime());
    expect(at).to.deep.equal([...at].sort((a, b) => a - b));
    expect((await memberWrites(guild)).length).to.be.at.most(2);
  });

  it('An unlink during a sync that would still give roles wins', async () => {
    await owing(1);
    const write = discord.hold({ match: put });
    const syncing = sync(guild, person);
    await write.reached;
    await unlinkMember(guild.guild, person.chatUserId, systemActor('test'));
    write.letGo();
    expect((await syncing).added).to.deep.equal(roleIds);
    await eventually(async () => (await lastSyncOf(guild, person))?.trigger === 'unlink', 'the sync');
    expect(await rolesOf(guild, person)).to.deep.equal([]);
    await eventually(async () => (await pendingSyncOf(guild, person)) === undefined, 'the payment');
  });

  it('A sync does not complete work that became pending while it ran, even if no process is left to do it', async () => {
    await owing(1);
    const write = discord.hold({ match: put });
    const syncing = sync(guild, person);
    await write.reached;
    // An unlink's part before the process is killed.
    await endLink(await getMember(guild.guildId, person.chatUserId), 'admin', systemActor('test'));
    write.letGo();
    await syncing;
    expect(await rolesOf(guild, person)).to.deep.equal(roleIds);
    expect(await pendingSyncOf(guild, person)).to.include({ trigger: 'unlink' });
    await retryNow(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([]);
  });

  it('A sync waits its turn while Roblox is slow for another sync of the member, and not for other members', async () => {
    await owing(1);
    const other = await buildSettledMember(guild);
    const restore = reconfigureRoblox();
    const question = roblox.hold({ match: memberships });
    const order: string[] = [];
    const note = (name: string) => () => order.push(name);
    const first = sync(guild, person).then(note('first'));
    await question.reached;
    const second = sync(guild, person).then(note('second'));
    await sync(guild, other).then(note('other'));
    question.letGo();
    await Promise.all([first, second]);
    restore();
    expect(order).to.deep.equal(['other', 'first', 'second']);
  });
});
