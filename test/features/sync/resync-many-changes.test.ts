import { expect } from 'chai';
import mongoose, { Types } from 'mongoose';
import { type PlannedChange, PlannedChanges } from '../../../src/features/sync/plan/planned-change-model.js';
import { countApplied, countLosing, removeChanges } from '../../../src/features/sync/plan/planned-changes.js';
import { newId } from '../../../src/lib/ids.js';

/** More than two steps of a count; `MANY_CHANGES=1000000` for a large guild's figures. */
const many = Number(process.env.MANY_CHANGES ?? 48_000);
const guildId = '400000000000000001';
const states = ['pending', 'done', 'skipped', 'failed'] as const;

function changeOf(planId: string, index: number): PlannedChange {
  const now = new Date();
  return {
    _id: new Types.ObjectId(),
    ...{ guildId, planId, chatUserId: String(300_000_000_000_000_000n + BigInt(index)), chatUsername: 'x', part: 0 },
    ...{
      expected: { add: [], remove: index % 8 === 0 ? ['1'] : [] },
      blocked: index % 5 === 0 ? [{ roleId: '1', reason: 'role_managed' }] : [],
    },
    ...{ kind: 'give', seen: { roleIds: [], nickname: null }, standing: { gameUserId: null } },
    ...{ absentFrom: [String(index % 16)], asOf: now, state: states[index % 4] ?? 'pending', dueAt: now },
  };
}

describe(`A resync with ${many} changes`, function () {
  this.timeout(1_200_000);
  const job = { _id: newId('job'), guildId, parts: 1 };
  const other = { _id: newId('job'), guildId, parts: 1 };
  const took = new Map<string, number>();

  async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    const result = await work();
    took.set(what, Math.round(performance.now() - began));
    return result;
  }

  /** The commands that the work sends, and the longest that one took, in ms. */
  const commands: { name: string; ms: number }[] = [];
  const note = ({ commandName, duration }: mongoose.mongo.CommandSucceededEvent) =>
    commands.push({ name: commandName, ms: duration });

  before(async () => {
    const collection = PlannedChanges.acrossGuilds.collection;
    for (let start = 0; start < many; start += 5_000) {
      const some = Array.from({ length: Math.min(5_000, many - start) }, (_, index) =>
        changeOf(job._id, start + index),
      );
      await collection.insertMany(some);
    }
    await collection.insertOne(changeOf(other._id, 0));
    mongoose.connection.getClient().on('commandSucceeded', note);
  });
  after(() => {
    mongoose.connection.getClient().off('commandSucceeded', note);
    const longest = commands.reduce((a, b) => (a.ms > b.ms ? a : b));
    process.stdout.write(
      `      ${JSON.stringify(Object.fromEntries(took))}, longest command ${JSON.stringify(longest)}\n`,
    );
  });

  // API-29
  it(`The ${many} changes of a resync are counted exactly, step by step`, async () => {
    const quarter = many / 4;
    const applied = await timed('countApplied', () => countApplied(job));
    expect(applied).to.deep.equal({
      changed: quarter,
      skipped: quarter,
      failed: quarter,
      blocked: (many / 5) * (3 / 4),
      lost: 0,
    });
    expect(await timed('countLosing', () => countLosing(job))).to.equal(many / 8);
    expect(await countLosing(other)).to.equal(1);
    const counts = commands.filter(({ name }) => name === 'aggregate');
    expect(counts.length).to.be.at.least(2 * Math.ceil(many / 20_000));
  });

  // API-29
  it(`The ${many} changes of a resync are removed step by step, and nothing else`, async () => {
    commands.length = 0;
    await timed('removeChanges', () => removeChanges(job));
    expect(await PlannedChanges.count({ guildId, planId: job._id })).to.equal(0);
    expect(commands.filter(({ name }) => name === 'delete')).to.have.length.at.least(many / 1_000);
    expect(await PlannedChanges.count({ guildId, planId: other._id })).to.equal(1);
    await removeChanges(other);
  });
});
