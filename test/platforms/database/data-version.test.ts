import { expect } from 'chai';
import mongoose from 'mongoose';
import { clock } from '../../../src/lib/clock.js';
import {
  addMigrations,
  announceUpgrade,
  latestVersion,
  type Migration,
  migrateData,
  newerVersion,
  requireKnownData,
} from '../../../src/platforms/database/data-version.js';

interface Row {
  _id: string;
  version?: number;
}

// ENV-22
describe('The version of the stored data', () => {
  const rows = () => mongoose.connection.collection<Row>('data_version');
  const set = (values: object) => rows().updateOne({ _id: 'data' }, { $set: values }, { upsert: true });
  const ran: number[] = [];
  const migration = (to: number): Migration => ({ to, run: async () => void ran.push(to) });

  const latch = (): [open: () => void, opened: Promise<void>] => {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    return [open, opened];
  };

  beforeEach(() => ran.splice(0));
  afterEach(async () => {
    addMigrations([]);
    await rows().deleteOne({ _id: 'data' });
    await migrateData();
  });

  it('The first start writes the version of the stored data', async () => {
    await rows().deleteOne({ _id: 'data' });
    await migrateData();
    expect(await rows().findOne({ _id: 'data' })).to.deep.equal({ _id: 'data', version: latestVersion() });
  });

  it('The data version rises by each migration, which runs once however many processes start at the same time', async () => {
    const list = [migration(112), migration(113)];
    await Promise.all([migrateData(list), migrateData(list), migrateData(list)]);
    expect(ran).to.deep.equal([112, 113]);
    await migrateData([...list, migration(114)]);
    expect(ran).to.deep.equal([112, 113, 114]);
    expect((await rows().findOne({ _id: 'data' }))?.version).to.equal(114);
  });

  it('A migration that fails leaves the data version as it was and runs again', async () => {
    let fails = true;
    const shaky: Migration = {
      to: 112,
      run: async () => {
        if (fails) throw new Error('half-way');
        ran.push(112);
      },
    };
    await migrateData([shaky]).catch(() => undefined);
    expect((await rows().findOne({ _id: 'data' }))?.version).to.equal(latestVersion());
    fails = false;
    await migrateData([shaky]);
    expect(ran).to.deep.equal([112]);
  });

  const refusal = () =>
    requireKnownData().then(
      () => '',
      ({ message }: Error) => message,
    );

  it('A start refuses stored data of a newer version in words', async () => {
    await set({ version: latestVersion() + 5 });
    expect(await refusal())
      .to.contain(`newer Rolelink (data version ${latestVersion() + 5}; this one knows ${latestVersion()})`)
      .and.contain('backup');
    await set({ version: 1 });
    expect(await refusal()).to.equal('');
  });

  // ENV-93
  it('An announced upgrade holds up older processes for half a minute, and one that has begun until it is done', async () => {
    await migrateData();
    addMigrations([migration(112)]);
    await announceUpgrade();
    expect(await newerVersion()).to.equal(undefined);
    addMigrations([]);
    expect(await newerVersion()).to.equal(112);
    expect(await refusal()).to.contain('newer Rolelink');
    clock.advance(31_000);
    expect(await newerVersion()).to.equal(undefined);
    expect(await refusal()).to.equal('');
    const [begin, hasBegun] = latch();
    const [end, hasEnded] = latch();
    const whole = migrateData([{ to: 112, run: () => Promise.resolve(begin()).then(() => hasEnded) }]);
    await hasBegun;
    clock.advance(60_000);
    expect(await newerVersion()).to.equal(112);
    end();
    await whole;
    expect(await rows().findOne({ _id: 'data' })).to.deep.equal({ _id: 'data', version: 112 });
  });

  it('A start refuses stored data in words while a restore has not finished', async () => {
    await set({ version: 1, restoring: true });
    expect(await refusal()).to.contain('rolelink restore');
  });
});
