import { expect } from 'chai';
import { getMember } from '../../../src/features/members/member-service.js';
import { eventually } from '../../support/build.js';
import { world } from '../../support/world.js';
import { at } from '../sync/preview-setup.js';
import { buildResyncGuild, type ResyncGuild, resync } from '../sync/resync-setup.js';
import { rolesOf } from '../sync/sync-setup.js';
import { dataOf, listen } from './listening.js';

describe('The events of a guild’s resync', () => {
  let guild: ResyncGuild;
  const synced = () => dataOf(guild, 'role.synced');
  const failed = () => dataOf(guild, 'role.sync_failed');
  afterEach(async () => (await world()).discord.clearFaults());

  it('A resync sends one event for each changed member, and none for others', async () => {
    guild = await buildResyncGuild({ count: 12, inStep: 4 });
    await listen(guild);
    expect(await resync(guild)).to.include({ changed: 8 });
    const expected = guild.people.slice(4).map(({ chatUserId, gameUserId }) => {
      return { chatUserId, gameUserId, trigger: 'resync', added: [guild.memberRole], removed: [] };
    });
    expect(await synced()).to.have.deep.members(expected);
    expect(await resync(guild)).to.include({ changed: 0 });
    expect(await synced()).to.have.length(8);
    expect(await failed()).to.deep.equal([]);
  });

  it('A resync sends one event about the unreachable roles of a changed member', async () => {
    const { discord, roblox } = await world();
    guild = await buildResyncGuild({ count: 2, inStep: 2 });
    const [person = { chatUserId: '', gameUserId: '' }] = guild.people;
    await listen(guild);
    discord.moveRole(guild.guildId, guild.officerRole, 99);
    await eventually(async () => {
      const { body } = await guild.api.get(`${guild.path}/mappings`);
      return body.data.some(({ status }: { status: string }) => status === 'role_unmanageable');
    }, 'the move');
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    for (const _ of [1, 2]) {
      discord.setMemberRoles(guild.guildId, person.chatUserId, []);
      await resync(guild);
      expect(await rolesOf(guild, person)).to.deep.equal([guild.memberRole]);
    }
    const blocked = { reason: 'role_hierarchy', roleIds: [guild.officerRole], attempt: 1, willRetry: false };
    expect(await failed()).to.deep.equal([{ chatUserId: person.chatUserId, ...blocked }]);
    expect(await synced()).to.have.length(2);
  });

  it('A resync that gives a member up reports it, with the roles concerned', async () => {
    const { discord, roblox } = await world();
    guild = await buildResyncGuild({ count: 2 });
    await listen(guild);
    const { chatUserId, gameUserId } = at(guild.people, 0);
    discord.setMemberRoles(guild.guildId, chatUserId, [guild.officerRole]);
    roblox.setRank(guild.groupId, gameUserId, 1);
    discord.inject({ match: new RegExp(`^PATCH .*/members/${chatUserId}$`), status: 500 });
    expect(await resync(guild)).to.include({ changed: 0, failed: 1, processed: 3 });
    expect(await failed()).to.deep.equal([
      {
        ...{ chatUserId, reason: 'chat_platform_unavailable', roleIds: [guild.memberRole, guild.officerRole] },
        ...{ attempt: 1, willRetry: true },
      },
    ]);
    const { owedSync: pendingSync, syncs } = await getMember(guild.guildId, chatUserId);
    expect(pendingSync).to.include({ trigger: 'resync', attempts: 1 });
    expect(syncs.at(-1)).to.include({ trigger: 'resync', error: 'chat_platform_unavailable' });
  });
});
