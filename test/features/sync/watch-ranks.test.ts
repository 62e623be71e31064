import { expect } from 'chai';
import { WatchedGroups } from '../../../src/features/rank-watch/watched-models.js';
import { withPromptSyncs } from '../../support/background.js';
import { eventually } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildResyncGuild, type ResyncGuild, rolesOf } from './resync-setup.js';
import { beginAlone, beginWatch, triggersOf, watchAfter, watchedOf } from './watch-setup.js';

// RANK-5, RANK-7
describe('The watch of ranks', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let roblox: World['roblox'];

  before(async () => {
    ({ discord, roblox } = await world());
    await beginAlone();
  });
  afterEach(() => {
    discord.clearFaults();
    roblox.clearFaults();
  });

  const person = (guild: ResyncGuild, index: number) => {
    const found = guild.people[index];
    if (found === undefined) throw new Error(`There is no person ${index}.`);
    return found;
  };

  for (const [count, how] of [
    [3, 'by their people'],
    [120, 'by the counts of their roles'],
  ] as const) {
    describe(`Groups that are watched ${how}`, () => {
      let guild: ResyncGuild;
      before(async () => {
        guild = await buildResyncGuild({ count });
        for (let index = 2; index < count; index += 10)
          roblox.setRank(guild.groupId, person(guild, index).gameUserId, 100);
        await beginWatch(guild);
        roblox.forgetRequests();
      });

      it(`A group with ${count} people is watched ${how}`, async () => {
        const group = await WatchedGroups.findById(guild.groupId).lean();
        expect(group?.counted).to.equal(count > 100);
        expect(await watchedOf(person(guild, 0))).to.include({ glanced: count > 100 });
      });

      it(`A promotion in a group watched ${how} gives the role without any request`, async () => {
        roblox.setRank(guild.groupId, person(guild, 0).gameUserId, 100);
        await watchAfter(61);
        await eventually(async () => (await rolesOf(guild, person(guild, 0)))?.includes(guild.officerRole), 'the role');
        const isNoted = async () => (await triggersOf(guild, person(guild, 0))).includes('rank_change');
        await eventually(isNoted, 'the note of the sync');
        expect(await triggersOf(guild, person(guild, 1))).not.to.include('rank_change');
      });

      it(`A demotion in a group watched ${how} takes the role`, async () => {
        roblox.setRank(guild.groupId, person(guild, 0).gameUserId, 1);
        await watchAfter(61);
        await eventually(
          async () => !(await rolesOf(guild, person(guild, 0)))?.includes(guild.officerRole),
          'the role',
        );
      });

      it(`The watch ${how} sees that a person leaves the group, and joins it`, async () => {
        roblox.leaveGroup(guild.groupId, person(guild, 1).gameUserId);
        await watchAfter(61);
        await watchAfter(61);
        await eventually(async () => (await rolesOf(guild, person(guild, 1)))?.length === 0, 'the loss');
        roblox.setRank(guild.groupId, person(guild, 1).gameUserId, 1);
        await watchAfter(61);
        await watchAfter(61);
        await eventually(async () => (await rolesOf(guild, person(guild, 1)))?.length === 1, 'the role');
      });

      // RANK-14
      it(`The watch ${how} sees two people swap within ten minutes`, async () => {
        const [one, two] = [person(guild, 1), person(guild, 2)];
        roblox.setRank(guild.groupId, one.gameUserId, 100);
        roblox.setRank(guild.groupId, two.gameUserId, 1);
        for (let minute = 0; minute < 9; minute += 1) await watchAfter(60);
        await eventually(async () => (await rolesOf(guild, one))?.includes(guild.officerRole), 'the one');
        await eventually(async () => !(await rolesOf(guild, two))?.includes(guild.officerRole), 'the other');
      });

      it(`The watch ${how} reads ${count > 100 ? 'only the counts' : 'people'} every minute`, async () => {
        await watchAfter(61);
        const before = await watchedOf(person(guild, 5 % count));
        await watchAfter(61);
        const now = await watchedOf(person(guild, 5 % count));
        expect(now.seenAt?.getTime() === before.seenAt?.getTime()).to.equal(count > 100);
        const group = await WatchedGroups.findById(guild.groupId).lean();
        if (count > 100) expect(group?.seenAt?.getTime()).to.be.greaterThan(before.seenAt?.getTime() ?? 0);
      });
    });
  }
});
