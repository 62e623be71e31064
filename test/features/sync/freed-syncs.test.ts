import { expect } from 'chai';
import mongoose from 'mongoose';
import { enqueueBlocked } from '../../../src/features/members/blocked-syncs.js';
import { Members, newcomer } from '../../../src/features/members/member-model.js';
import { getMember } from '../../../src/features/members/member-service.js';
import { runPendingSyncs } from '../../support/background.js';
import { eventually } from '../../support/build.js';
import { world } from '../../support/world.js';
import { at } from './preview-setup.js';
import { buildResyncGuild, resync, rolesOf } from './resync-setup.js';
import { addRole, buildGroupGuild, buildSettledMember, mapTo, pendingSyncOf } from './sync-setup.js';

const many = 20_000;

// SYNC-25
describe('Obstacles that go away', () => {
  it('A role moved below the bot enqueues a sync for the person blocked by it', async () => {
    const { discord } = await world();
    const guild = await buildGroupGuild();
    const [roleId = ''] = await mapTo(guild, { type: 'verified' });
    discord.moveRole(guild.guildId, roleId, 99);
    const person = await buildSettledMember(guild);
    const { blockedBy } = await getMember(guild.guildId, person.chatUserId);
    expect(blockedBy).to.deep.equal([roleId]);
    discord.moveRole(guild.guildId, roleId, 1);
    await eventually(() => pendingSyncOf(guild, person), 'the pending sync');
    await runPendingSyncs(guild.guildId);
    expect(await rolesOf(guild, person)).to.include(roleId);
    expect(await pendingSyncOf(guild, person)).to.equal(undefined);
    expect(await getMember(guild.guildId, person.chatUserId)).not.to.have.property('blockedBy');
  });

  it('A role moved below the bot enqueues syncs for people found blocked by a resync, and another role does not', async () => {
    const { discord } = await world();
    const guild = await buildResyncGuild({ count: 2, inStep: 0 });
    const first = at(guild.people, 0);
    discord.moveRole(guild.guildId, guild.memberRole, 99);
    expect(await resync(guild)).to.include({ changed: 0 });
    expect((await getMember(guild.guildId, first.chatUserId)).blockedBy).to.deep.equal([guild.memberRole]);
    await enqueueBlocked(guild.guildId, [guild.officerRole]);
    expect((await getMember(guild.guildId, first.chatUserId)).owedSync).to.equal(undefined);
    discord.moveRole(guild.guildId, guild.memberRole, 1);
    await eventually(() => pendingSyncOf(guild, first), 'the pending sync');
    await runPendingSyncs(guild.guildId);
    expect(await rolesOf(guild, first)).to.include(guild.memberRole);
  });

  it('A highest role that is moved below the bot enqueues a sync of its holder’s nickname', async () => {
    const { discord } = await world();
    const guild = await buildGroupGuild();
    const high = await addRole(guild, { position: 99 });
    const person = await buildSettledMember(guild, { roleIds: [high] });
    const { blockedBy } = await getMember(guild.guildId, person.chatUserId);
    expect(blockedBy).to.deep.equal([`nickname:${high}`]);
    discord.moveRole(guild.guildId, high, 1);
    const nicknameOf = () => discord.member(guild.guildId, person.chatUserId)?.nickname;
    await eventually(() => pendingSyncOf(guild, person), 'the pending sync');
    await runPendingSyncs(guild.guildId);
    expect(nicknameOf()).to.equal(person.gameUsername);
  });

  it(`A removed obstacle enqueues syncs for ${many} people in small steps, once each, and for no departed member`, async () => {
    const guildId = '900000000000000077';
    const people = Array.from({ length: many }, (_, index) => ({
      ...{ _id: new mongoose.Types.ObjectId(), guildId, chatUserId: String(400_000_000_000_000_000n + BigInt(index)) },
      ...{
        ...newcomer({ username: `blocked${index}` }),
        present: index > 0,
        syncs: [],
        blockedBy: index % 2 ? ['1'] : ['1', '2'],
      },
    }));
    await Members.acrossGuilds.collection.insertMany(people as never[]);
    await enqueueBlocked(guildId, ['1', '3']);
    expect(await Members.count({ guildId, 'owedSync.trigger': 'resync' })).to.equal(many - 1);
    expect(await Members.find({ guildId, blockedBy: '1' })).to.have.length(1);
    expect(await Members.findOne({ guildId, present: false })).not.to.have.property('owedSync');
    expect(await Members.count({ guildId, blockedBy: '2' })).to.equal(many / 2);
    await Members.acrossGuilds.collection.deleteMany({ guildId });
  });
});
