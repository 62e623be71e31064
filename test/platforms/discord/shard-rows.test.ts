import { expect } from 'chai';
import mongoose from 'mongoose';
import { config, type ServiceConfig, useConfig } from '../../../src/config/config.js';
import { checkDatabase } from '../../../src/edges/operations/check-host.js';
import { clock } from '../../../src/lib/clock.js';
import { addMigrations, latestVersion } from '../../../src/platforms/database/data-version.js';
import { awaitOlderProcesses } from '../../../src/platforms/discord/newer-data.js';
import { isOfThisProcess } from '../../../src/platforms/discord/process-share.js';
import {
  claimShards,
  handOverShards,
  lastingGap,
  missingIn,
  missingShards,
  noteShards,
  releaseShards,
} from '../../../src/platforms/discord/shard-rows.js';
import { eventually } from '../../support/build.js';
import { world } from '../../support/world.js';

interface Row {
  _id: string;
  process?: string;
  seenAt: Date;
  given?: number[];
}

const rows = () => mongoose.connection.collection<Row>('service_state');
const minutes = (count: number): number => count * 60_000;

describe('The rows of processes', () => {
  let usual: ServiceConfig;
  const useShards = async (first: number, last: number, total: number): Promise<void> => {
    await releaseShards();
    useConfig({ ...usual, shards: { first, last, total } });
  };
  /** The row for a process that was seen this long ago. */
  const addOther = async (first: number, last: number, total: number, agoMs = 0, more: object = {}): Promise<void> => {
    const seen = { first, last, total, process: 'other', seenAt: new Date(clock.epochMs() - agoMs), ...more };
    await rows().updateOne({ _id: `shards ${first}-${last}/${total}` }, { $set: seen }, { upsert: true });
  };
  const refusal = (): Promise<string> =>
    claimShards().then(
      () => 'accepted',
      (error: Error) => error.message,
    );

  before(async () => {
    await world();
    usual = config();
  });
  beforeEach(() => clock.freeze(new Date()));
  afterEach(async () => {
    await releaseShards();
    await rows().deleteMany({ _id: /^shards / });
  });
  after(async () => {
    clock.restore();
    useConfig(usual);
    await claimShards();
  });

  // ENV-89
  it('Each overlap and each other total is refused, and no neighbour is', async () => {
    await addOther(2, 5, 8);
    for (const [first, last, total, expected] of [
      [0, 1, 8, 'accepted'],
      [6, 7, 8, 'accepted'],
      [0, 2, 8, 'overlaps'],
      [5, 7, 8, 'overlaps'],
      [3, 4, 8, 'overlaps'],
      [0, 7, 8, 'overlaps'],
      [6, 7, 16, 'has another total than'],
    ] as const) {
      await useShards(first, last, total);
      const said = await refusal();
      expect(said, `${first}-${last}/${total}`).to.contain(expected);
      if (expected !== 'accepted') expect(said).to.contain(`${first}-${last}/${total}`).and.contain('2-5/8');
    }
    expect(await rows().countDocuments({ _id: /^shards / })).to.equal(1);
  });

  // ENV-95
  it('A start may have a part of another process’s shards or all of them, and no part beside others', async () => {
    await addOther(2, 5, 8, 0, { turn: 1 });
    for (const [first, last, total, expected] of [
      [2, 3, 8, 'accepted'],
      [4, 4, 8, 'accepted'],
      [0, 7, 8, 'accepted'],
      [1, 5, 8, 'accepted'],
      [1, 3, 8, 'overlaps'],
      [5, 6, 8, 'overlaps'],
      [0, 15, 16, 'accepted'],
      [0, 7, 16, 'has another total than'],
    ] as const) {
      await useShards(first, last, total);
      expect(await refusal(), `${first}-${last}/${total}`).to.contain(expected);
    }
    await releaseShards();
    useConfig({ ...usual, shards: undefined });
    expect(await refusal()).to.contain('SHARDS=0-0/1, which an empty SHARDS means, has another total');
  });

  // ENV-95, ENV-90
  it('A process leaves its shards to newer processes that are ready, and keeps the others', async () => {
    const guildIds = [0n, 1n, 2n, 3n].map((shard) => String((8n + shard) << 22n));
    const kept = async (): Promise<boolean[]> => {
      await handOverShards();
      return guildIds.map(isOfThisProcess);
    };
    await useShards(0, 3, 8);
    await claimShards();
    await addOther(4, 7, 8, 0, { turn: 0, ready: true });
    await addOther(0, 0, 8, 0, { turn: 0, ready: true });
    await addOther(2, 3, 8, 0, { turn: 1e6, ready: false });
    expect(await kept()).to.deep.equal([true, true, true, true]);
    await addOther(2, 3, 8, 0, { ready: true });
    expect(await kept()).to.deep.equal([true, true, false, false]);
    expect((await rows().findOne({ _id: 'shards 0-3/8' }))?.given).to.deep.equal([2, 3]);
    expect(await missingShards()).to.deep.equal([]);
    await rows().deleteOne({ _id: 'shards 2-3/8' });
    expect(await missingShards()).to.deep.equal(['2-3/8']);
    await noteShards();
    expect(await kept()).to.deep.equal([true, true, false, false]);

    await addOther(0, 15, 16, 0, { turn: 1e6, ready: true });
    expect(await kept()).to.deep.equal([false, false, false, false]);
    expect(await rows().countDocuments({ _id: 'shards 0-3/8' })).to.equal(0);
    await noteShards();
    expect(await rows().countDocuments({ _id: 'shards 0-3/8' })).to.equal(0);
  });

  it('A process’s row of its shards counts for two minutes, and not when a clock was set back', async () => {
    await useShards(0, 3, 8);
    await addOther(0, 1, 8, minutes(2) + 1);
    expect(await refusal()).to.equal('accepted');
    await addOther(0, 1, 8, -minutes(3));
    expect(await refusal()).to.equal('accepted');
    await addOther(0, 1, 8, minutes(2) - 1);
    expect(await refusal()).to.contain('seen 120 s ago');
  });

  // ENV-89: the restarted process may fail after it has taken over.
  it('A process gets its row back from one that took it over and ended, and takes it from none at work', async () => {
    await useShards(0, 7, 8);
    await claimShards();
    await addOther(0, 7, 8);
    await noteShards();
    expect((await rows().findOne({ _id: 'shards 0-7/8' }))?.process).to.equal('other');
    clock.advance(minutes(2) + 1);
    await noteShards();
    expect((await rows().findOne({ _id: 'shards 0-7/8' }))?.process).not.to.equal('other');
  });

  // ENV-90
  it('A gap is a finding once it has lasted for five minutes', async () => {
    await useShards(0, 1, 4);
    await claimShards();
    const lasts = async (afterMs: number): Promise<string[]> => {
      clock.advance(afterMs);
      await noteShards();
      return lastingGap();
    };
    expect(await lasts(0)).to.deep.equal([]);
    expect(await missingShards()).to.deep.equal(['2-3/4']);
    expect(await lasts(minutes(5) - 1)).to.deep.equal([]);
    await addOther(2, 3, 4);
    expect(await lasts(1)).to.deep.equal([]);
    clock.advance(minutes(3));
    expect(await lasts(0)).to.deep.equal([]);
    expect(await lasts(minutes(5))).to.deep.equal(['2-3/4']);
    const found = (await checkDatabase.run()).find(({ code }) => code === 'shards_missing');
    expect(found).to.include({ state: 'fault', says: 'No process has the shards 2-3/4.' });
  });

  it('The missing shards are named by ranges', () => {
    const of = (...ranges: [number, number][]) =>
      missingIn(ranges.map(([first, last]) => ({ first, last, total: 16 })));
    expect(missingIn([])).to.deep.equal([]);
    expect(of([0, 15])).to.deep.equal([]);
    expect(of([0, 3], [2, 15])).to.deep.equal([]);
    expect(of([2, 3], [6, 9])).to.deep.equal(['0-1/16', '4-5/16', '10-15/16']);
  });

  // ENV-93
  it('An upgrade of the data waits for older processes, and ends in a sentence with their shards when they stay', async () => {
    const version = latestVersion();
    const announced = () => mongoose.connection.collection('data_version').findOne({ 'upgrade.to': version + 1 });
    addMigrations([{ to: version + 1, run: async () => undefined }]);
    try {
      await addOther(8, 15, 16, -minutes(1));
      const waits = awaitOlderProcesses().then(
        () => 'went on',
        (error: Error) => error.message,
      );
      await eventually(announced, 'the announcement');
      clock.advance(minutes(2.6));
      expect(await waits)
        .to.contain('shards 8-15/16')
        .and.contain('stop it');
      await rows().updateOne({ _id: 'shards 8-15/16' }, { $set: { dataVersion: version + 1 } });
      await awaitOlderProcesses();
    } finally {
      addMigrations([]);
      await mongoose.connection.collection('data_version').updateOne({}, { $unset: { upgrade: '' } });
    }
  });
});
