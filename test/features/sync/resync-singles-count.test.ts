import { expect } from 'chai';
import { findMember, getMember } from '../../../src/features/members/member-service.js';
import { clock } from '../../../src/lib/clock.js';
import { eventually, type TestPerson } from '../../support/build.js';
import { world } from '../../support/world.js';
import { buildResyncGuild, type ResyncGuild, resyncIn } from './resync-setup.js';

/** Starts a resync that stands still at its first change, begins `meanwhile`, and gives the job when it is done. */
async function resyncWith(guild: ResyncGuild, meanwhile: () => Promise<() => Promise<void>>) {
  const { discord } = await world();
  const first = guild.people[0]?.chatUserId;
  const change = discord.hold({ match: new RegExp(`^(PUT|DELETE|PATCH) .*/members/${first}`) });
  const { body } = await guild.api.post(`${guild.path}/resync`);
  await change.reached;
  const ended = await meanwhile();
  change.letGo();
  await ended();
  return resyncIn(guild, body.jobId, 'completed');
}

/** Begins a single sync, which waits behind the write that stands still: it is stored what it is about to do. */
async function beginSync(guild: ResyncGuild, person: TestPerson | undefined): Promise<() => Promise<void>> {
  const answer = syncOf(guild, person);
  const isBegun = async () => (await findMember(guild.guildId, person?.chatUserId ?? ''))?.applying !== undefined;
  await eventually(isBegun, 'the single sync to begin');
  return async () => {
    expect((await answer).added).to.deep.equal([guild.memberRole]);
  };
}

const syncOf = async ({ api, path }: ResyncGuild, person: TestPerson | undefined) =>
  (await api.post(`${path}/members/${person?.chatUserId}/resync`)).body;

describe('the numbers of a resync beside single syncs', () => {
  afterEach(async () => {
    const { discord } = await world();
    discord.clearFaults();
    clock.restore();
  });

  it('count as changed whom a single sync brings in step before their turn', async () => {
    const guild = await buildResyncGuild({ count: 3, inStep: 0 });
    const [, second] = guild.people;
    const done = await resyncWith(guild, () => beginSync(guild, second));
    expect(done).to.include({ changed: 3, failed: 0, processed: 4, total: 4 });
    const { syncs } = await getMember(guild.guildId, second?.chatUserId ?? '');
    expect(syncs.map(({ trigger }) => trigger)).to.deep.equal(['api']);
  });

  it('do not count whom a single sync found in step, since nothing was changed', async () => {
    const { roblox } = await world();
    const guild = await buildResyncGuild({ count: 3, inStep: 3 });
    const [first, second] = guild.people;
    for (const person of [first, second]) roblox.setRank(guild.groupId, person?.gameUserId ?? '', 100);
    const done = await resyncWith(guild, async () => {
      roblox.setRank(guild.groupId, second?.gameUserId ?? '', 1);
      expect((await syncOf(guild, second)).added).to.deep.equal([]);
      return async () => undefined;
    });
    expect(done).to.include({ changed: 1, processed: 4 });
  });
});
