import { expect } from 'chai';
import mongoose from 'mongoose';
import { type Migration, migrateData, requireKnownData } from '../../../src/platforms/database/data-version.js';

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

  beforeEach(() => ran.splice(0));
  afterEach(async () => {
    await rows().deleteOne({ _id: 'data' });
    await migrateData();
  });

  it('The first start writes the version of the stored data', async () => {
    await rows().deleteOne({ _id: 'data' });
    await migrateData();
    expect(await rows().findOne({ _id: 'data' })).to.deep.equal({ _id: 'data', version: 2 });
  });

  it('The data version rises by each migration, which runs once however many processes start at the same time', async () => {
    const list = [migration(12), migration(13)];
    await Promise.all([migrateData(list), migrateData(list), migrateData(list)]);
    expect(ran).to.deep.equal([12, 13]);
    await migrateData([...list, migration(14)]);
    expect(ran).to.deep.equal([12, 13, 14]);
    expect((await rows().findOne({ _id: 'data' }))?.version).to.equal(14);
  });

  it('A migration that fails leaves the data version as it was and runs again', async () => {
    let fails = true;
    const shaky: Migration = {
      to: 12,
      run: async () => {
        if (fails) throw new Error('half-way');
        ran.push(12);
      },
    };
    await migrateData([shaky]).catch(() => undefined);
    expect((await rows().findOne({ _id: 'data' }))?.version).to.equal(2);
    fails = false;
    await migrateData([shaky]);
    expect(ran).to.deep.equal([12]);
  });

  const refusal = () =>
    requireKnownData().then(
      () => '',
      ({ message }: Error) => message,
    );

  it('A start refuses stored data of a newer version in words', async () => {
    await set({ version: 7 });
    expect(await refusal())
      .to.contain('newer Rolelink (data version 7; this one knows 2)')
      .and.contain('backup');
    await set({ version: 1 });
    expect(await refusal()).to.equal('');
  });

  it('A start refuses stored data in words while a restore has not finished', async () => {
    await set({ version: 1, restoring: true });
    expect(await refusal()).to.contain('rolelink restore');
  });
});
