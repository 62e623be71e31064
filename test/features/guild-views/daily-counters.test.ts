import { randomInt } from 'node:crypto';
import { expect } from 'chai';
import sinon from 'sinon';
import {
  countFact,
  countSince,
  DailyCounters,
  type Fact,
  purgeCounters,
  readCounters,
  readPlatformCounters,
  seriesOf,
} from '../../../src/core/counters/daily-counters.js';
import { clock } from '../../../src/lib/clock.js';
import { logger } from '../../../src/lib/logger.js';
import { dayMs, hourMs } from '../../../src/lib/time.js';

const now = new Date('2026-03-10T12:37:00.000Z');
const ago = (ms: number): Date => new Date(now.getTime() - ms);

/** A guild without other counts. */
const newGuildId = (): string => String(10n ** 18n + BigInt(randomInt(2 ** 47)));

const stored = (guildId: string) => DailyCounters.find({ guildId }, { sort: { day: 1 } });

async function since(guildId: string, fact: Fact, ms: number): Promise<number> {
  return countSince(await readCounters(guildId, now), fact, ago(ms));
}

describe('Daily counters', () => {
  afterEach(() => sinon.restore());

  it('The daily counters are one document a guild and day, by the hour in UTC', async () => {
    const guildId = newGuildId();
    await countFact(guildId, 'verified', now);
    await countFact(guildId, 'verified', now);
    await countFact(guildId, 'unlinked', ago(12 * hourMs));
    const [document, ...others] = await stored(guildId);
    expect(others).to.deep.equal([]);
    expect(document).to.deep.include({ day: '2026-03-10', hours: { 12: { verified: 2 }, 0: { unlinked: 1 } } });
    expect(document).not.to.have.property('lastSyncAt');
  });

  it('The daily counters are exact with simultaneous writes, on a day without counters', async () => {
    const guildId = newGuildId();
    const facts: Fact[] = ['verified', 'synced', 'syncFailed'];
    await Promise.all(Array.from({ length: 50 }, () => facts.map((fact) => countFact(guildId, fact, now))).flat());
    expect((await stored(guildId)).map(({ hours }) => hours)).to.deep.equal([
      { 12: { verified: 50, synced: 50, syncFailed: 50 } },
    ]);
  });

  it('The daily counters count by the clock, in a new day from midnight in UTC on', async () => {
    const guildId = newGuildId();
    clock.freeze(new Date('2026-03-08T23:59:59.999Z'));
    await countFact(guildId, 'verified');
    clock.advance(1);
    await countFact(guildId, 'verified');
    await countFact(guildId, 'synced');
    const documents = await stored(guildId);
    expect(documents.map(({ day, hours }) => ({ day, hours }))).to.deep.equal([
      { day: '2026-03-08', hours: { 23: { verified: 1 } } },
      { day: '2026-03-09', hours: { 0: { verified: 1, synced: 1 } } },
    ]);
    expect(documents[1]?.lastSyncAt).to.deep.equal(new Date('2026-03-09T00:00:00.000Z'));
    const series = seriesOf(await readCounters(guildId, now), now);
    expect(series.slice(-3).map(({ date, verified }) => ({ date, verified }))).to.deep.equal([
      { date: '2026-03-08', verified: 1 },
      { date: '2026-03-09', verified: 1 },
      { date: '2026-03-10', verified: 0 },
    ]);
  });

  it('The daily counters give the last 30 days, oldest first, with zeros for empty days and nothing older', async () => {
    const guildId = newGuildId();
    await countFact(guildId, 'unlinked', ago(29 * dayMs));
    await countFact(guildId, 'unlinked', ago(30 * dayMs));
    await countFact(guildId, 'syncFailed', now);
    const series = seriesOf(await readCounters(guildId, now), now);
    const none = { verified: 0, verificationFailed: 0, unlinked: 0, synced: 0, syncFailed: 0 };
    const dates = Array.from({ length: 30 }, (_, index) =>
      ago((29 - index) * dayMs)
        .toISOString()
        .slice(0, 10),
    );
    expect(dates[0]).to.equal('2026-02-09');
    expect(series).to.deep.equal(
      dates.map((date, index) => ({
        date,
        ...none,
        ...(index === 0 && { unlinked: 1 }),
        ...(index === 29 && { syncFailed: 1 }),
      })),
    );
    expect((await stored(guildId)).map(({ day }) => day)[0]).to.equal('2026-02-08');
  });

  it('The daily counters slide over midnight: a fact a day old counts, one older than its hour does not', async () => {
    const guildId = newGuildId();
    for (const ms of [0, hourMs, 13 * hourMs, dayMs - 1, dayMs, 25 * hourMs])
      await countFact(guildId, 'synced', ago(ms));
    expect(await since(guildId, 'synced', dayMs)).to.equal(5);
    expect(await since(guildId, 'synced', 2 * dayMs)).to.equal(6);
    expect(await since(guildId, 'synced', 0)).to.equal(1);
    expect(await since(guildId, 'syncFailed', dayMs)).to.equal(0);
    await countFact(guildId, 'verified', ago(7 * dayMs));
    await countFact(guildId, 'verified', ago(7 * dayMs + hourMs));
    expect(await since(guildId, 'verified', 7 * dayMs)).to.equal(1);
  });

  it('The daily counters of a guild count nothing of another', async () => {
    const [mine, other] = [newGuildId(), newGuildId()];
    await countFact(other, 'verified', now);
    expect(await readCounters(mine, now)).to.deep.equal([]);
    expect(await since(other, 'verified', dayMs)).to.equal(1);
  });

  it('The platform’s counters count every proof, those outside guilds too, and nothing else', async () => {
    const platformSince = async (fact: Fact) => countSince(await readPlatformCounters(now), fact, ago(dayMs));
    const before = { verified: await platformSince('verified'), failed: await platformSince('verificationFailed') };
    for (const place of [null, newGuildId()]) {
      await countFact(place, 'verified', now);
      await countFact(place, 'verificationFailed', now);
      await countFact(place, 'synced', now);
    }
    expect(await platformSince('verified')).to.equal(before.verified + 2);
    expect(await platformSince('verificationFailed')).to.equal(before.failed + 2);
    expect(await platformSince('synced')).to.equal(0);
  });

  it('A counter that cannot be written fails nothing but itself', async () => {
    const guildId = newGuildId();
    const told = sinon.stub(logger, 'error');
    sinon.stub(DailyCounters.acrossGuilds.collection, 'bulkWrite').rejects(new Error('no database'));
    await countFact(guildId, 'synced', now);
    sinon.assert.calledOnceWithMatch(told, sinon.match({ guildId, fact: 'synced' }));
    expect(await stored(guildId)).to.deep.equal([]);
  });

  it('The purge removes daily counters older than 91 days', async () => {
    const guildId = newGuildId();
    for (const days of [0, 90, 91, 92, 400]) await countFact(guildId, 'synced', ago(days * dayMs));
    await purgeCounters(now);
    expect((await stored(guildId)).map(({ day }) => day)).to.deep.equal(['2025-12-09', '2025-12-10', '2026-03-10']);
  });
});
