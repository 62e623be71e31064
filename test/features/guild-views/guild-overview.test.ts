import { expect } from 'chai';
import sinon from 'sinon';
import { config } from '../../../src/config/config.js';
import { systemActor } from '../../../src/core/actors/actor.js';
import { countFact, DailyCounters, type Fact, facts } from '../../../src/core/counters/daily-counters.js';
import { unlinkMember } from '../../../src/features/members/member-unlinks.js';
import { clock } from '../../../src/lib/clock.js';
import { dayMs, hourMs } from '../../../src/lib/time.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { asPerson } from '../../support/api.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildGuild, buildMember, eventually, type TestGuild } from '../../support/build.js';
import { world } from '../../support/world.js';
import { buildGroupGuild, buildSettledMember, mapTo, rankFrom, sync, withoutNicknames } from '../sync/sync-setup.js';

async function overviewOf({ api, path }: TestGuild) {
  const { status, body } = await api.get(`${path}/overview`);
  expect(status).to.equal(200);
  return body;
}

type Series = ({ date: string } & Record<Fact, number>)[];

/** All that the series has about each fact: the same whether midnight has passed since or not. */
const totals = (series: Series): Partial<Record<Fact, number>> =>
  Object.fromEntries(facts.map((fact) => [fact, series.reduce((total, day) => total + day[fact], 0)]));

/** Tries to verify a new person in the guild; with the words in the profile, or without. */
async function verify({ api, guildId, ...guild }: TestGuild, withWords: boolean): Promise<void> {
  const { roblox } = await world();
  const person = await buildMember({ api, guildId, ...guild }, { linked: false });
  const { gameUsername } = person;
  const them = await asPerson(person);
  const { body } = await them.post('/api/verification/session', { guildId, method: 'profile_code' });
  if (withWords) roblox.setAbout(person.gameUserId, body.phrase);
  const { status } = await them.post('/api/verification/complete', { token: body.token, gameUsername });
  expect(status).to.equal(withWords ? 200 : 422);
}

describe('The overview of a guild', () => {
  withPromptSyncs();
  afterEach(() => sinon.restore());

  // API-61
  it('The overview of a new guild is all zeros', async () => {
    const overview = await overviewOf(await buildGuild());
    const { series, ...rest } = overview;
    expect(rest).to.deep.equal({
      members: { linked: 0, unlinked: 0, joinedNotLinked: 0 },
      promptness: { roleChanges: null, commands: null },
      verification: { completed24h: 0, completed7d: 0, failed7d: 0, successRate: null },
      sync: { lastRun: null, running: false, jobId: null, changed24h: 0, failed24h: 0 },
      ranks: { ageSeconds: null, targetSeconds: 120, advice: null },
      counts: { groups: 0, mappings: 0 },
    });
    const dates = series.map(({ date }: { date: string }) => date);
    const last = Date.parse(dates.at(-1));
    expect(Date.now() - last).to.be.within(0, dayMs + 60_000);
    expect(dates).to.deep.equal(
      Array.from({ length: 30 }, (_, index) => new Date(last - (29 - index) * dayMs).toISOString().slice(0, 10)),
    );
    expect(Object.values(totals(series)).every((total) => total === 0)).to.equal(true);
  });

  it('The overview counts present members as they are, and departed members by their link', async () => {
    const guild = await buildGuild();
    const { discord } = await world();
    const [, leaves, unlinked] = [await buildMember(guild), await buildMember(guild), await buildMember(guild)];
    discord.leave(guild.guildId, leaves.chatUserId);
    expect((await guild.api.delete(`${guild.path}/members/${unlinked.chatUserId}/link`)).status).to.equal(204);
    await buildMember(guild, { linked: false });
    const { chatUserId: goneId } = await buildMember(guild, { linked: false });
    const joined = (number: number) =>
      eventually(async () => (await overviewOf(guild)).members.joinedNotLinked === number, `${number} not linked`);
    await joined(2);
    discord.leave(guild.guildId, goneId);
    await joined(1);
    const { members, series } = await overviewOf(guild);
    expect(members).to.deep.equal({ linked: 2, unlinked: 1, joinedNotLinked: 1 });
    expect(totals(series)).to.include({ unlinked: 1 });
    const summary = (await guild.api.get('/api/guilds')).body.data[0];
    expect(summary.linkedMembers).to.equal(members.linked);
  });

  it('The overview counts groups and mappings of its own guild alone', async () => {
    const guild = await buildGroupGuild();
    await mapTo(guild, { type: 'verified' });
    await mapTo(guild, rankFrom(guild, 1));
    expect((await overviewOf(guild)).counts).to.deep.equal({ groups: 1, mappings: 2 });
    expect((await overviewOf(await buildGuild())).counts).to.deep.equal({ groups: 0, mappings: 0 });
  });

  it('The overview counts proofs that held and proofs that failed', async () => {
    const guild = await buildGuild();
    for (const withWords of [true, false, true, true]) await verify(guild, withWords);
    const { verification, series, members } = await overviewOf(guild);
    expect(verification).to.deep.equal({ completed24h: 3, completed7d: 3, failed7d: 1, successRate: 0.75 });
    expect(totals(series)).to.include({ verified: 3, verificationFailed: 1 });
    expect(members.linked).to.equal(3);
  });

  it('The overview counts syncs that changed something or failed, and returns the time of the last one', async () => {
    const { roblox } = await world();
    const guild = await buildGroupGuild();
    await withoutNicknames(guild);
    const person = await buildSettledMember(guild);
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    const unchanged = await overviewOf(guild);
    expect(unchanged.sync).to.deep.equal({ lastRun: null, running: false, jobId: null, changed24h: 0, failed24h: 0 });

    await mapTo(guild, rankFrom(guild, 1));
    const before = Date.now();
    for (let times = 0; times < 3; times += 1) await sync(guild, person);
    const changed = await overviewOf(guild);
    expect(changed.sync).to.include({ changed24h: 1, failed24h: 0 });
    expect(Date.parse(changed.sync.lastRun)).to.be.within(before, Date.now());

    const mend = roblox.inject({ match: /groups|memberships/, status: 503 });
    const failed = await guild.api.post(`${guild.path}/members/${person.chatUserId}/resync`);
    mend();
    configureRoblox(config().roblox);
    expect(failed.body.code).to.equal('game_platform_unavailable');
    const { sync: activity, series } = await overviewOf(guild);
    expect(activity).to.include({ changed24h: 1, failed24h: 1 });
    expect(Date.parse(activity.lastRun)).to.be.greaterThan(Date.parse(changed.sync.lastRun));
    expect(totals(series)).to.include({ synced: 1, syncFailed: 1 });
  });

  it('The overview’s 24 hours and 7 days go over midnight, and end', async () => {
    const guild = await buildGuild();
    const midnight = Date.parse(new Date().toISOString().slice(0, 10)) - 20 * dayMs;
    clock.freeze(new Date(midnight - hourMs));
    await countFact(guild.guildId, 'verified');
    await countFact(guild.guildId, 'verificationFailed');
    await countFact(guild.guildId, 'synced');
    const seen = async (ms: number) => {
      clock.freeze(new Date(midnight + ms));
      const { verification, sync: activity, series } = await overviewOf(guild);
      const { completed24h, completed7d, failed7d, successRate } = verification;
      const { date, verified } = series.findLast((day: Series[number]) => day.verified > 0);
      expect({ date, verified }).to.deep.equal({
        date: new Date(midnight - dayMs).toISOString().slice(0, 10),
        verified: 1,
      });
      expect(activity.lastRun).to.equal(new Date(midnight - hourMs).toISOString());
      return [completed24h, activity.changed24h, completed7d, failed7d, successRate];
    };
    expect(await seen(-1)).to.deep.equal([1, 1, 1, 1, 0.5]);
    expect(await seen(1)).to.deep.equal([1, 1, 1, 1, 0.5]);
    expect(await seen(dayMs - hourMs)).to.deep.equal([1, 1, 1, 1, 0.5]);
    expect(await seen(dayMs)).to.deep.equal([0, 0, 1, 1, 0.5]);
    expect(await seen(6 * dayMs)).to.deep.equal([0, 0, 1, 1, 0.5]);
    expect(await seen(7 * dayMs)).to.deep.equal([0, 0, 0, 0, null]);
  });

  it('The overview is answered, and everything continues, while nothing can be counted', async () => {
    const guild = await buildGuild();
    const person = await buildMember(guild);
    sinon.stub(DailyCounters.acrossGuilds.collection, 'bulkWrite').rejects(new Error('no database'));
    await verify(guild, true);
    await verify(guild, false);
    await unlinkMember(guild.guild, person.chatUserId, systemActor('test'));
    const { members, series } = await overviewOf(guild);
    expect(members).to.include({ linked: 1, unlinked: 1 });
    // Syncs made by the person's link were counted before.
    expect(totals(series)).to.include({ verified: 0, verificationFailed: 0, unlinked: 0 });
  });
});
