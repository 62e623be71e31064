import { expect } from 'chai';
import { findMember, getMember } from '../../../src/features/members/member-service.js';
import { processedOf } from '../../../src/features/sync/plan/plan-model.js';
import { readResync } from '../../../src/features/sync/resync/resync-service.js';
import { viewResync } from '../../../src/features/sync/resync/resync-view.js';
import { clock } from '../../../src/lib/clock.js';
import { eventually, type TestPerson } from '../../support/build.js';
import { world } from '../../support/world.js';
import { buildResyncGuild, type ResyncGuild, resyncIn } from './resync-setup.js';

/** Starts a resync that stops at its first change, runs `meanwhile`, and returns the finished job. */
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

/** Begins a single sync, which waits behind the held write: its planned changes are stored. */
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

describe('The numbers of a resync next to single syncs', () => {
  afterEach(async () => {
    const { discord } = await world();
    discord.clearFaults();
    clock.restore();
  });

  it('A member brought in step by a single sync before the resync reaches them counts as changed', async () => {
    const guild = await buildResyncGuild({ count: 3, inStep: 0 });
    const [, second] = guild.people;
    const done = await resyncWith(guild, () => beginSync(guild, second));
    expect(done).to.include({ changed: 3, failed: 0, processed: 4, total: 4 });
    const { syncs } = await getMember(guild.guildId, second?.chatUserId ?? '');
    expect(syncs.map(({ trigger }) => trigger)).to.deep.equal(['api']);
  });

  it('A member found in step by a single sync does not count as changed', async () => {
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

  // RESYNC-35
  it('The time left of a resync follows its own writes, and not members found in step', async () => {
    const guild = await buildResyncGuild({ count: 3, inStep: 0 });
    const { body } = await guild.api.post(`${guild.path}/resync`);
    await resyncIn(guild, body.jobId, 'completed');
    const job = await readResync(guild.guild, body.jobId);
    const now = clock.now();
    const since = new Date(now.getTime() - 60_000);
    const running = { ...job, state: 'running' as const, planned: { ...job.planned, members: processedOf(job) + 10 } };
    const etaWith = (unwritten: number) =>
      viewResync({ ...running, pace: { since, processed: processedOf(job) - 3, unwritten } }, now).etaSeconds;
    expect([etaWith(0), etaWith(1), etaWith(3)]).to.deep.equal([200, 300, null]);
  });
});
