import { expect } from 'chai';
import { getMember } from '../../../src/features/members/member-service.js';
import { Plans } from '../../../src/features/sync/plan/plan-model.js';
import { clock } from '../../../src/lib/clock.js';
import { noteCall } from '../../../src/lib/last-calls.js';
import { eventually, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildResyncGuild, type ResyncGuild, resyncIn, resyncWhere, rolesOf } from './resync-setup.js';

const start = async ({ api: client, path }: ResyncGuild) => (await client.post(`${path}/resync`)).body.jobId as string;

// RESYNC-19
describe('People refused by Discord in a resync', () => {
  let discord: World['discord'];
  before(async () => {
    ({ discord } = await world());
  });
  afterEach(() => discord.clearFaults());

  const refuse = (people: readonly TestPerson[], status: number, code: number) => {
    const ids = people.map(({ chatUserId }) => chatUserId).join('|');
    discord.inject({ match: new RegExp(`^(PUT|PATCH) .*/members/(${ids})`), status, code });
  };

  for (const [status, code] of [
    [400, 50_035],
    [403, 50_013],
  ] as const) {
    it(`A resync gives all others their roles where Discord refuses some people with ${status}`, async () => {
      const guild = await buildResyncGuild({ count: 9, inStep: 0 });
      const refused = guild.people.slice(0, 6);
      refuse(refused, status, code);
      const jobId = await start(guild);
      const done = await resyncIn(guild, jobId, 'completed');
      expect(done).to.include({ changed: 3, failed: 0, waitingFor: null, error: null });
      for (const { chatUserId } of refused)
        expect((await getMember(guild.guildId, chatUserId)).refused).to.have.lengthOf.at.least(1);
      for (const person of guild.people.slice(6))
        expect(await rolesOf(guild, person)).to.deep.equal([guild.memberRole]);
    });
  }
});

describe('Resyncs that wait for a platform', () => {
  let service: World;
  before(async () => {
    service = await world();
  });
  afterEach(() => {
    service.discord.clearFaults();
    service.roblox.clearFaults();
  });

  /** A resync that waits for an hour. */
  async function asleep(guild: ResyncGuild): Promise<string> {
    service.roblox.inject({ match: /memberships/, status: 403 });
    const jobId = await start(guild);
    await resyncWhere(guild, jobId, ({ waitingFor }) => waitingFor !== null);
    const until = new Date(clock.epochMs() + 3_600_000);
    await Plans.update({ _id: jobId, guildId: guild.guildId }, { $set: { 'waiting.until': until } });
    return jobId;
  }

  it('A waiting resync continues immediately on a request for a resync of the same scope', async () => {
    const guild = await buildResyncGuild({ count: 2, inStep: 1 });
    const jobId = await asleep(guild);
    service.roblox.clearFaults();
    expect(await start(guild)).to.equal(jobId);
    expect(await resyncIn(guild, jobId, 'completed')).to.include({ changed: 1 });
  });

  it('A waiting resync continues automatically when Roblox’s answer changes', async () => {
    const guild = await buildResyncGuild({ count: 2, inStep: 1 });
    const jobId = await asleep(guild);
    service.roblox.clearFaults();
    noteCall('roblox_apis', false);
    await guild.api.post(`${guild.path}/members/${guild.people[0]?.chatUserId}/resync`);
    expect(await resyncIn(guild, jobId, 'completed')).to.include({ waitingFor: null });
  });

  it('A waiting resync continues when a new gateway session begins, as after a restart', async () => {
    const guild = await buildResyncGuild({ count: 2, inStep: 1 });
    const jobId = await asleep(guild);
    service.roblox.clearFaults();
    service.discord.invalidateSessions();
    await eventually(
      async () => (await Plans.findOne({ _id: jobId, guildId: guild.guildId }))?.state === 'completed',
      'the resync',
      60_000,
    );
  });
});
