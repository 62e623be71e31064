import { expect } from 'chai';
import mongoose, { Schema } from 'mongoose';
import { forgetBuiltIndexes, requireIndexes } from '../../../src/platforms/database/index-building.js';
import { world } from '../../support/world.js';

describe('The building of indexes', () => {
  const things = () => mongoose.connection.collection('indexed_things');
  const keys = async () => Object.keys((await things().indexInformation()) ?? {}).filter((name) => name !== '_id_');

  /** The model as a service version declares it. */
  function declare(...fields: string[]): void {
    mongoose.deleteModel(/^IndexedThing$/);
    const schema = new Schema({ a: Number, b: Number, c: Number }, { collection: 'indexed_things' });
    for (const field of fields) schema.index({ [field]: 1 });
    mongoose.model('IndexedThing', schema);
  }

  before(() => world());
  beforeEach(async () => {
    declare('a');
    await requireIndexes();
  });
  afterEach(async () => {
    mongoose.deleteModel(/^IndexedThing$/);
    await things().drop();
  });

  it('A start builds no index with the definition of the start before', async () => {
    expect(await keys()).to.deep.equal(['a_1']);
    await things().dropIndex('a_1');
    await requireIndexes();
    expect(await keys()).to.deep.equal([]);
  });

  it('A start builds the indexes of a collection with changed definitions', async () => {
    declare('a', 'b');
    await requireIndexes();
    expect(await keys()).to.have.members(['a_1', 'b_1']);
  });

  it('A start drops indexes that no model declares, and builds those with other options again', async () => {
    await things().createIndex({ b: 1 }, { unique: true });
    await things().dropIndex('a_1');
    await things().createIndex({ a: 1 }, { unique: true });
    declare('a', 'c');
    await requireIndexes();
    expect(await keys()).to.have.members(['a_1', 'c_1']);
    await things().insertMany([{ a: 1 }, { a: 1 }]);
  });

  it('A start builds the indexes of a collection that was dropped since', async () => {
    await things().drop();
    await requireIndexes();
    expect(await keys()).to.deep.equal(['a_1']);
  });

  it('A start after a restore builds all indexes', async () => {
    await things().dropIndex('a_1');
    if (mongoose.connection.db) await forgetBuiltIndexes(mongoose.connection.db);
    await requireIndexes();
    expect(await keys()).to.deep.equal(['a_1']);
  });
});
