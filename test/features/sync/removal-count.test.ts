import { expect } from 'chai';
import {
  countPlan,
  recentRemovals,
  releaseRemoval,
  reserveRemoval,
} from '../../../src/features/sync/member/removal-limit.js';
import { clock } from '../../../src/lib/clock.js';
import { minuteMs } from '../../../src/lib/time.js';
import { buildGuild } from '../../support/build.js';
import { world } from '../../support/world.js';
import { buildResyncGuild, resyncIn, rolesOf } from './resync-setup.js';
import { setSettings } from './sync-setup.js';

const unlimited = Number.POSITIVE_INFINITY;
const most = 20;

// SYNC-10, SYNC-65
describe('The count of people who lose roles', () => {
  let guildId: string;

  beforeEach(async () => {
    ({ guildId } = await buildGuild());
  });
  afterEach(async () => {
    (await world()).discord.clearFaults();
    clock.restore();
  });

  /** How many single people are counted until the limit refuses one. */
  async function countSingly(): Promise<number> {
    for (let people = 0; ; people += 1) if ((await reserveRemoval(guildId, most)) === null) return people;
  }

  for (const losing of [0, 4]) {
    it(`A plan of 19 losses that loses ${losing} when made again lends nobody to the next hour`, async () => {
      expect(await countPlan(guildId, { planId: 'job_1', losing: 19 }, most)).to.equal(true);
      clock.jump(59 * minuteMs);
      expect(await countPlan(guildId, { planId: 'job_1', losing }, unlimited)).to.equal(true);
      clock.jump(2 * minuteMs);
      expect(await countSingly()).to.equal(most - losing);
    });
  }

  it('A plan made again an hour later counts its losses anew', async () => {
    await countPlan(guildId, { planId: 'job_1', losing: 19 }, most);
    clock.jump(61 * minuteMs);
    expect(await countPlan(guildId, { planId: 'job_1', losing: 19 }, most)).to.equal(true);
    expect(await countSingly()).to.equal(1);
  });

  it('A plan beyond the limit when made again keeps its former count', async () => {
    await countPlan(guildId, { planId: 'job_1', losing: 12 }, most);
    await countPlan(guildId, { planId: 'job_2', losing: 5 }, most);
    expect(await countPlan(guildId, { planId: 'job_1', losing: 16 }, most)).to.equal(false);
    expect([await recentRemovals(guildId), await recentRemovals(guildId, 'job_1')]).to.deep.equal([17, 5]);
  });

  it('A person without a loss is taken from the count of single people, and not from a plan’s', async () => {
    await countPlan(guildId, { planId: 'job_1', losing: 3 }, most);
    const countedAt = await reserveRemoval(guildId, most);
    await releaseRemoval(guildId, countedAt ?? new Date(0));
    expect(await recentRemovals(guildId, 'job_1')).to.equal(0);
    expect(await recentRemovals(guildId)).to.equal(3);
  });

  it('Single syncs take no more than the limit after a resync found nobody to lose roles any more', async () => {
    const { discord, roblox } = await world();
    const guild = await buildResyncGuild({ count: 12 });
    await setSettings(guild, { massRemoval: { sharePercent: 10, people: 4 } });
    for (const { gameUserId } of guild.people.slice(0, 3)) roblox.leaveGroup(guild.groupId, gameUserId);
    const loss = discord.hold({ match: new RegExp(`^DELETE .*/guilds/${guild.guildId}/members/`) });
    const { body: job } = await guild.api.post(`${guild.path}/resync`);
    await loss.reached;
    // Discord is slow for an hour, and by an admin's new rule nobody is to lose the role any more.
    clock.jump(61 * minuteMs);
    const everybody = { condition: { type: 'verified' }, roleIds: [guild.memberRole] };
    const { body: mapping } = await guild.api.post(`${guild.path}/mappings`, everybody);
    // The rules are read every two seconds.
    clock.advance(2_000);
    loss.letGo();
    await resyncIn(guild, job.jobId, 'completed');
    await guild.api.delete(`${guild.path}/mappings/${mapping.mappingId}`);
    for (const { gameUserId } of guild.people) roblox.leaveGroup(guild.groupId, gameUserId);
    for (const { chatUserId } of guild.people) await guild.api.post(`${guild.path}/members/${chatUserId}/resync`);
    const held = await Promise.all(guild.people.map((person) => rolesOf(guild, person)));
    expect(held.filter((roleIds) => roleIds?.length === 0)).to.have.length.within(1, 4);
  });
});
