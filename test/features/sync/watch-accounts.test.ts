import { expect } from 'chai';
import { chatUser } from '../../../src/core/actors/actor.js';
import { useAccount } from '../../../src/features/accounts/own-accounts.js';
import { linkPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { addOther } from '../accounts/other-account.js';
import { buildResyncGuild } from './resync-setup.js';
import { lastSyncOf, rolesOf } from './sync-setup.js';
import { allPaid, beginAlone, beginWatch, watchAfter } from './watch-setup.js';

// ID-98
describe('The rank watch with several accounts', () => {
  let roblox: World['roblox'];

  before(async () => {
    ({ roblox } = await world());
    await beginAlone();
  });

  it('A server’s live ranks are those of the account in use there, and no other account causes a sync', async () => {
    const guild = await buildResyncGuild({ count: 1 });
    const person = guild.people[0] ?? expect.fail('nobody there');
    await linkPerson(null, person);
    const other = await addOther(person);
    roblox.setRank(guild.groupId, other.gameUserId, 1);
    const actor = chatUser(person.chatUserId, person.username);
    await useAccount(actor, other.gameUserId, { guildIds: [guild.guildId] });
    await beginWatch(guild);
    await allPaid(guild);
    const before = await lastSyncOf(guild, person);

    roblox.setRank(guild.groupId, person.gameUserId, 100);
    await watchAfter(61);
    await allPaid(guild);
    expect(await lastSyncOf(guild, person)).to.deep.equal(before);
    expect(await rolesOf(guild, person)).to.deep.equal([guild.memberRole]);

    roblox.setRank(guild.groupId, other.gameUserId, 100);
    await watchAfter(61);
    await allPaid(guild);
    expect(await rolesOf(guild, person)).to.have.members([guild.memberRole, guild.officerRole]);
    expect(await lastSyncOf(guild, person)).to.include({ trigger: 'rank_change' });
  });
});
