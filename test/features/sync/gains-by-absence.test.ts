import { expect } from 'chai';
import { noRestrictions } from '../../../src/core/settings/restrictions.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { eventually, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildResyncGuild, resync } from './resync-setup.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  rankFrom,
  reconfigureRoblox,
  refusal,
  rolesOf,
  setSettings,
  sync,
  withoutNicknames,
} from './sync-setup.js';

const manyAtOnce = /^GET apis\.roblox\.com\/cloud\/v2\/groups\/-/;

// SYNC-6, RESYNC-5
describe('Roles for people outside of a group', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];

  before(async () => {
    ({ discord, roblox } = await world());
  });
  afterEach(() => {
    roblox.clearFaults();
    reconfigureRoblox();
  });

  describe('in a single sync', () => {
    let guild: GroupGuild;
    let person: TestPerson;

    beforeEach(async () => {
      guild = await buildGroupGuild();
      await withoutNicknames(guild);
      person = await buildSettledMember(guild);
      roblox.setRank(guild.groupId, person.gameUserId, 100);
    });

    const inGroup = () => ({ type: 'group_member', groupId: guild.groupId }) as const;
    const lie = () => roblox.inject({ match: manyAtOnce, corrupt: 'empty_data' });
    const olderHost = () => roblox.requests.filter(({ path }) => path.endsWith('/groups/roles')).length;

    it('A sync gives no role for people outside of a group while one of Roblox’s interfaces shows the person in it', async () => {
      const [outside = ''] = await mapTo(guild, {
        type: 'all',
        of: [{ type: 'verified' }, { type: 'not', of: inGroup() }],
      });
      const mend = lie();
      expect(await refusal(sync(guild, person))).to.include({ code: 'game_platform_unavailable' });
      expect(await rolesOf(guild, person)).to.deep.equal([]);
      mend();
      expect(await sync(guild, person)).to.deep.include({ added: [], removed: [] });
      roblox.leaveGroup(guild.groupId, person.gameUserId);
      roblox.forgetRequests();
      expect(await sync(guild, person)).to.deep.include({ added: [outside] });
      expect(olderHost()).to.equal(1);
    });

    it('A sync gives no role for people below a rank while Roblox’s answers about the rank differ', async () => {
      const [below = ''] = await mapTo(guild, { type: 'not', of: rankFrom(guild, 50) });
      roblox.setRank(guild.groupId, person.gameUserId, 1);
      const mend = roblox.inject({ match: /^GET groups\.roblox\.com\/v2\/users/, corrupt: 'empty_data' });
      expect(await refusal(sync(guild, person))).to.include({ code: 'game_platform_unavailable' });
      expect(await rolesOf(guild, person)).to.deep.equal([]);
      mend();
      expect(await sync(guild, person)).to.deep.include({ added: [below] });
    });

    // RESTR-4
    it('A sync gives no role past a denied group while one of Roblox’s interfaces shows the person in it', async () => {
      const [verified = ''] = await mapTo(guild, { type: 'verified' });
      const restrictions = { ...noRestrictions, deniedGroupIds: [guild.groupId] };
      await setSettings(guild, { restrictions });
      discord.setMemberRoles(guild.guildId, person.chatUserId, []);
      const mend = lie();
      expect(await refusal(sync(guild, person))).to.include({ code: 'game_platform_unavailable' });
      expect(await rolesOf(guild, person)).to.deep.equal([]);
      mend();
      expect(await sync(guild, person)).to.deep.include({ added: [], restriction: 'denied_group' });
      roblox.leaveGroup(guild.groupId, person.gameUserId);
      expect(await sync(guild, person)).to.deep.include({ added: [verified] });
    });

    it('A sync asks Roblox once before it gives a role to members of a group', async () => {
      const [member = ''] = await mapTo(guild, { type: 'not', of: { type: 'not', of: inGroup() } });
      roblox.forgetRequests();
      expect(await sync(guild, person)).to.deep.include({ added: [member] });
      expect(olderHost()).to.equal(0);
    });
  });

  // RESYNC-6
  describe('in a resync', () => {
    const buildOutsiders = async () => {
      const guild = await buildResyncGuild({ count: 4 });
      const outside = discord.addRole(guild.guildId, { name: 'Outside' }).id;
      const condition = { type: 'not', of: { type: 'group_member', groupId: guild.groupId } };
      discord.moveRole(guild.guildId, discord.botRole(guild.guildId).id, 9);
      // The gateway reports the new role; the mapping is refused until it has.
      const add = () => guild.api.post(`${guild.path}/mappings`, { condition, roleIds: [outside] });
      await eventually(async () => (await add()).status === 201, 'the mapping');
      const [leaver] = guild.people as [TestPerson];
      roblox.leaveGroup(guild.groupId, leaver.gameUserId);
      return { guild, outside, leaver };
    };

    it('A resync gives no role for people outside of a group by one answer only', async () => {
      const { guild, outside, leaver } = await buildOutsiders();
      roblox.inject({ match: /apis.*memberships/, corrupt: 'empty_data', times: 1 });
      await resync(guild);
      expect(await rolesOf(guild, leaver)).to.deep.equal([outside]);
      for (const each of guild.people.slice(1)) expect(await rolesOf(guild, each)).to.deep.equal([guild.memberRole]);
    });

    it('A resync leaves people without the member role, too, to a sync of their own when the second answer differs', async () => {
      const { guild, outside, leaver } = await buildOutsiders();
      for (const { chatUserId } of guild.people) discord.setMemberRoles(guild.guildId, chatUserId, []);
      roblox.inject({ match: /apis.*memberships/, corrupt: 'empty_data', times: 1 });
      await resync(guild);
      expect(await rolesOf(guild, leaver)).to.deep.equal([outside]);
      for (const each of guild.people.slice(1)) {
        expect(await rolesOf(guild, each)).to.deep.equal([]);
        expect((await findMember(guild.guildId, each.chatUserId))?.owedSync).to.include({ trigger: 'resync' });
      }
    });
  });
});
