import { expect } from 'chai';
import { hourMs } from '../../../src/lib/time.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildMember, buildPerson, eventually, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildResyncGuild, type ResyncGuild, rolesOf } from './resync-setup.js';
import { buildGroupGuild, mapTo, rankFrom, withoutNicknames } from './sync-setup.js';
import { beginAlone, beginWatch, letPass, newWatch, triggersOf } from './watch-setup.js';

describe('The watch of ranks by the pages of a group', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: ResyncGuild;
  let other: Awaited<ReturnType<typeof buildGroupGuild>>;
  let otherRole: string | undefined;
  /** Is in both servers. */
  let both: TestPerson;

  before(async () => {
    ({ discord, roblox } = await world());
    await beginAlone();
    [guild, other] = [await buildResyncGuild({ count: 120 }), await buildGroupGuild()];
    await withoutNicknames(other);
    [otherRole] = await mapTo(other, rankFrom(other, 100));
    both = await buildPerson();
    await buildMember(other, { person: both });
    discord.join(guild.guildId, both.chatUserId, {});
    await eventually(async () => (await triggersOf(guild, both)).length > 0, 'the link in both servers');
    await beginWatch(guild);
    await beginWatch(other);
    // Everybody is due for a full reading.
    letPass(hourMs / 1000);
    roblox.forgetRequests();
  });

  it('The watch reads the pages of a group once, and singly only people with ranks in another group', async () => {
    const { people, groupId, officerRole } = guild;
    const [promoted = both, still = both] = people;
    const before = await triggersOf(guild, still);
    roblox.setRank(groupId, promoted.gameUserId, 100);
    roblox.setRank(other.groupId, both.gameUserId, 100);
    const watch = newWatch();
    while ((await watch.batch()) === 0);
    const listed = roblox.requests.filter(({ path }) => path === `/cloud/v2/groups/${groupId}/memberships`);
    expect(listed).to.have.length(2);
    await eventually(async () => (await rolesOf(guild, promoted))?.includes(officerRole), 'the role of the promoted');
    const otherRoles = () => discord.member(other.guildId, both.chatUserId)?.roleIds;
    await eventually(() => otherRoles()?.includes(otherRole ?? ''), 'the role in the other server');
    expect(await triggersOf(guild, still)).to.deep.equal(before);
  });
});
