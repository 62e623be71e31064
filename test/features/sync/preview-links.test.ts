import { expect } from 'chai';
import { Accounts } from '../../../src/features/accounts/account-model.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { buildPerson } from '../../support/build.js';
import { world } from '../../support/world.js';
import { byMember, onDiscord, preview } from './preview-setup.js';
import { buildResyncGuild, resync } from './resync-setup.js';

// RESYNC-28
describe('A preview of people with a known account who are not linked here yet', () => {
  it('A preview shows the roles of people with a known account without linking them, and links them when it is applied', async () => {
    const { discord, roblox } = await world();
    const guild = await buildResyncGuild({ count: 1 });
    const { username: gameUsername, ...person } = await buildPerson();
    discord.join(guild.guildId, person.chatUserId);
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    const account = { gameUserId: person.gameUserId, gameUsername, gameDisplayName: gameUsername };
    await Accounts.create({ ...account, _id: person.chatUserId, method: 'oauth', linkedAt: new Date() });
    const gained = [guild.memberRole, guild.officerRole].sort();

    const shown = await preview(guild);
    expect(byMember(shown)[person.chatUserId]?.add.sort()).to.deep.equal(gained);
    expect((await findMember(guild.guildId, person.chatUserId))?.state).not.to.equal('linked');

    expect(await resync(guild, { previewId: shown.previewId })).to.include({ changed: 1, failed: 0 });
    expect((await onDiscord(guild, person)).roleIds).to.deep.equal(gained);
    expect(await findMember(guild.guildId, person.chatUserId)).to.include({ ...account, state: 'linked' });
  });
});
