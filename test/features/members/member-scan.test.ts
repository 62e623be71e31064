import { expect } from 'chai';
import { Types } from 'mongoose';
import { Members } from '../../../src/features/members/member-model.js';
import { countByScan, scanMembers } from '../../../src/features/members/member-scan.js';
import { RateLimited } from '../../../src/lib/errors.js';
import { buildGuild, type TestGuild } from '../../support/build.js';

const size = 4_001;

// API-93, API-94
describe('The scan of a guild’s members', () => {
  let guild: TestGuild;
  let others: TestGuild;
  before(async () => {
    [guild, others] = [await buildGuild(), await buildGuild()];
    for (const { guildId } of [guild, others]) {
      const members = Array.from({ length: size }, (_, index) => ({
        _id: new Types.ObjectId(),
        guildId,
        chatUserId: String(400_000_000_000_000_000n + BigInt(index)),
        chatUsername: `person${index}`,
        names: [`person${index}`],
        state: index % 2 === 0 ? ('joined' as const) : ('unlinked' as const),
        present: true,
        autoLinkBlocked: false,
        syncs: [],
      }));
      await Members.acrossGuilds.collection.insertMany(members);
    }
  });
  after(async () => {
    for (const { guildId } of [guild, others]) await Members.acrossGuilds.collection.deleteMany({ guildId });
  });

  const named = async (q: string, limit = 10) =>
    (await scanMembers(guild.guildId, { names: q }, limit)).map(({ state }) => state);

  it('A scan finds members of every step, each once, and none of another guild', async () => {
    for (const index of [0, 1_999, 2_000, 3_999, 4_000])
      expect(await named(`person${index}`), String(index)).to.deep.equal([index % 2 === 0 ? 'joined' : 'unlinked']);
    expect(await scanMembers(guild.guildId, { state: 'joined' }, size)).to.have.length(2_001);
    expect(await scanMembers(guild.guildId, { state: 'joined' }, 1_500)).to.have.length(1_500);
  });

  it('A scan counts members of every step by what decides their status', async () => {
    const counted = await countByScan(guild.guildId, { present: true });
    const of = (wanted: string) =>
      counted.filter(({ state }) => state === wanted).reduce((sum, { members }) => sum + members, 0);
    expect([of('joined'), of('unlinked'), of('linked')]).to.deep.equal([2_001, 2_000, 0]);
    expect(counted.some((one) => 'goneSince' in one)).to.equal(false);
  });

  it('At most 20 scans of a guild run or wait; more are told when to come again, and other guilds are served', async () => {
    const { guildId } = await buildGuild();
    const asked = Array.from({ length: 25 }, () => scanMembers(guildId, {}, 1));
    const elsewhere = named('person7');
    const refused = (await Promise.allSettled(asked)).filter((one) => one.status === 'rejected');
    expect(refused).to.have.length(5);
    for (const { reason } of refused)
      expect(reason).to.be.instanceOf(RateLimited).with.property('retryAfterSeconds', 5);
    expect(await elsewhere).to.deep.equal(['unlinked']);
    expect(await scanMembers(guildId, {}, 1)).to.deep.equal([]);
  });
});
