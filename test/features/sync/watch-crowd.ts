import { expect } from 'chai';
import mongoose from 'mongoose';
import { Members } from '../../../src/features/members/member-model.js';
import { nextBatchAt } from '../../../src/features/rank-watch/guild-batch.js';
import { rankIssue, readRankAge, sampleRankAges } from '../../../src/features/rank-watch/rank-age.js';
import { takeOverLinks } from '../../../src/features/rank-watch/watched-links.js';
import { WatchedAccounts } from '../../../src/features/rank-watch/watched-models.js';
import { buildMember, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildGroupGuild, type GroupGuild, mapTo, rankFrom, withoutNicknames } from './sync-setup.js';
import { beginAlone, beginWatch, letPass, newWatch, readLinksAgain, watchedOf } from './watch-setup.js';

/** The tests of a watch beside a crowd. More than one turn's 2,500 people show that the few come in between. */
export function describeWatchOf(crowd: number): void {
  const many = crowd.toLocaleString('en');

  describe(`The watch of ${many} people next to a few`, () => {
    let roblox: World['roblox'];
    let large: GroupGuild;
    let small: GroupGuild;
    let person: TestPerson;

    before(async () => {
      ({ roblox } = await world());
      await beginAlone();
      large = await buildGroupGuild();
      small = await buildGroupGuild();
      for (const guild of [large, small]) {
        await withoutNicknames(guild);
        await mapTo(guild, rankFrom(guild, 100));
      }
      person = await buildMember(small);
      await beginWatch(small);
      const members = Array.from({ length: crowd }, (_, index) => ({
        ...{
          _id: new mongoose.Types.ObjectId(),
          guildId: large.guildId,
          chatUserId: `7${String(index).padStart(17, '0')}`,
        },
        ...{
          chatUsername: `crowd${index}`,
          state: 'linked' as const,
          present: true,
          autoLinkBlocked: false,
          names: [],
        },
        ...{ gameUserId: String(8_000_000_000 + index), gameUsername: `C${index}`, gameDisplayName: `C${index}` },
        ...{ linkedAt: new Date(Date.now() - 3_600_000), syncs: [] },
      }));
      await Members.acrossGuilds.collection.insertMany(members);
      await readLinksAgain();
    });
    after(async () => {
      await Members.acrossGuilds.deleteMany({ guildId: large.guildId });
      await WatchedAccounts.deleteMany({ guildId: large.guildId });
    });

    it(`The watch takes over the links of ${many} people once`, async () => {
      await takeOverLinks();
      expect(await WatchedAccounts.countDocuments({ guildIds: large.guildId })).to.equal(crowd);
      await takeOverLinks();
      expect(await WatchedAccounts.countDocuments({ guildIds: large.guildId })).to.equal(crowd);
    });

    it('The rank watch polls only people linked in the last minutes, even without a new link', async () => {
      letPass(11 * 60);
      await takeOverLinks();
      expect(await takeOverLinks()).to.equal(0);
    });

    it('The watch reads the few after one turn of the many at the latest, and the many in turns of 50 calls', async () => {
      const { seenAt: before } = await watchedOf(person);
      letPass(90);
      const watch = newWatch();
      roblox.forgetRequests();
      for (let turns = 0; turns < 2; turns += 1) await watch.batch();
      expect((await watchedOf(person)).seenAt?.getTime()).to.be.greaterThan(before?.getTime() ?? 0);
      const calls = roblox.requests.filter(({ path }) => path.endsWith('/memberships')).length;
      expect(calls).to.be.at.most(51);
      expect(await nextBatchAt()).not.to.equal(null);
    });

    it('The age of ranks and its target are returned for a guild, by the groups where they are watched by counts', async () => {
      const age = await readRankAge(small.guild);
      expect(age).to.include({ targetSeconds: 120, advice: null });
      expect(age.ageSeconds).to.be.within(0, 120);
      expect((await readRankAge(large.guild)).targetSeconds).to.equal(120);
      const ages = (await sampleRankAges()).get('enterprise') ?? [];
      expect(ages).not.to.be.empty;
      expect(Math.min(...ages)).to.be.at.least(0);
    });

    it('Ranks that are three times as old as they may be become an issue of health', async () => {
      const age = { ageSeconds: 360, targetSeconds: 120, advice: null };
      expect(rankIssue(age)).to.deep.equal([]);
      expect(rankIssue({ ...age, ageSeconds: null })).to.deep.equal([]);
      expect(rankIssue({ ...age, ageSeconds: 361 }).map(({ code }) => code)).to.deep.equal(['ranks_stale']);
      letPass(600);
      const late = await readRankAge(small.guild);
      expect(late).to.include({ advice: 'roblox_limit' });
      const { body } = await small.api.get(small.path);
      expect(body.health.map(({ code }: { code: string }) => code)).to.include('ranks_stale');
      expect((await small.api.get(`${small.path}/overview`)).body.ranks.ageSeconds).to.be.greaterThan(360);
    });
  });
}
