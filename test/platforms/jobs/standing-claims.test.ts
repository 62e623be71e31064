import { expect } from 'chai';
import mongoose from 'mongoose';
import { BillingRecords } from '../../../src/features/billing/billing-record.js';
import { clock } from '../../../src/lib/clock.js';
import { dayMs, hourMs, minuteMs, secondMs } from '../../../src/lib/time.js';
import { claimDue, claimEveryMs, moveClaim, STANDING_WORK } from '../../../src/platforms/jobs/standing-claims.js';
import { connectTestDatabase } from '../../support/test-database.js';

const daily = { name: 'test-daily', everyMs: dayMs };
const hourly = { name: 'test-hourly', everyMs: hourMs };
const frequent = { name: 'test-frequent', everyMs: claimEveryMs };
const all = [daily, hourly, frequent];
const namesOf = async (works = all) => (await claimDue(works)).map(({ name }) => name);

describe('Claims of standing work', () => {
  let database: Awaited<ReturnType<typeof connectTestDatabase>>;
  const claims = () => mongoose.connection.collection(STANDING_WORK);
  before(async () => {
    database = await connectTestDatabase();
  });
  beforeEach(async () => {
    await claims().deleteMany({});
    clock.freeze(new Date());
  });
  after(async () => {
    clock.restore();
    await claims().deleteMany({});
    await database.close();
  });

  it('New work is due after its interval, and then at each interval', async () => {
    expect(await namesOf()).to.deep.equal([frequent.name]);
    clock.advance(claimEveryMs);
    expect(await namesOf()).to.deep.equal([frequent.name]);
    clock.advance(hourMs - 2 * claimEveryMs);
    expect(await namesOf()).to.deep.equal([hourly.name, frequent.name]);
  });

  it('Work keeps its interval although a claim comes a little early', async () => {
    await namesOf([frequent]);
    clock.advance(claimEveryMs - 2 * secondMs);
    expect(await namesOf([frequent])).to.deep.equal([frequent.name]);
  });

  it('Of many processes that claim at the same time, one gets each piece of work', async () => {
    for (let round = 0; round < 5; round += 1) {
      const claimed = await Promise.all(Array.from({ length: 8 }, () => namesOf()));
      expect(claimed.flat().sort()).to.deep.equal([...new Set(claimed.flat())].sort());
      expect(claimed.flat()).to.include(frequent.name);
      clock.advance(2 * dayMs);
    }
  });

  it('Daily work of a killed process is due again after a minute', async () => {
    await namesOf();
    clock.advance(dayMs);
    expect(await namesOf([daily])).to.deep.equal([daily.name]);
    clock.advance(minuteMs / 2);
    expect(await namesOf([daily])).to.deep.equal([]);
    clock.advance(minuteMs / 2);
    expect(await namesOf([daily])).to.deep.equal([daily.name]);
  });

  it('A renewed claim keeps other processes away, and a lost one changes nothing', async () => {
    await namesOf();
    clock.advance(dayMs);
    const [first] = await claimDue([daily]);
    if (first === undefined) throw new Error('Not claimed.');
    const renewed = await moveClaim(first, new Date(clock.epochMs() + 2 * minuteMs));
    clock.advance(minuteMs);
    expect(await namesOf([daily])).to.deep.equal([]);
    await moveClaim(first, clock.now());
    expect(await namesOf([daily])).to.deep.equal([]);
    await moveClaim(renewed, clock.now());
    expect(await namesOf([daily])).to.deep.equal([daily.name]);
  });

  it('A renewed claim of frequent work is no time from a clock that was ahead', async () => {
    const [claim] = await claimDue([frequent]);
    if (claim === undefined) throw new Error('Not claimed.');
    await moveClaim(claim, new Date(clock.epochMs() + minuteMs));
    expect(await namesOf([frequent])).to.deep.equal([]);
  });

  it('Work that is planned beyond its interval, by a clock that was set back since, is due', async () => {
    await namesOf();
    clock.jump(-dayMs);
    expect(await namesOf([hourly])).to.deep.equal([hourly.name]);
  });

  it('A start after the clock was set back mends the due times of all collections, and another start does not', async () => {
    const { collection } = BillingRecords.acrossGuilds;
    const storeFar = (guildId: string) =>
      collection.insertOne({ guildId, nextSyncAt: new Date(clock.epochMs() + 3 * dayMs) } as never);
    const stored = async (guildId: string) => (await collection.findOne({ guildId }))?.nextSyncAt;
    try {
      await namesOf();
      await storeFar('a');
      await namesOf();
      expect(await stored('a')).to.deep.equal(new Date(clock.epochMs() + 3 * dayMs));
      clock.jump(-2 * dayMs);
      await namesOf();
      expect(await stored('a')).to.deep.equal(clock.now());
      await storeFar('b');
      await namesOf();
      expect(await stored('b')).to.deep.equal(new Date(clock.epochMs() + 3 * dayMs));
    } finally {
      await collection.deleteMany({ guildId: { $in: ['a', 'b'] } });
    }
  });
});
