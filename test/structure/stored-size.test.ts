import { expect } from 'chai';
import mongoose from 'mongoose';
import { world } from '../support/world.js';

/** Each collection costs files and a look at each start, each index every write. Lower these with a change that can, and raise them with a reason. */
const stored = { collections: 29, indexes: 148 };

describe('The size of the stored data', () => {
  before(() => world());

  it('The service has as many collections and indexes as are written here', () => {
    // Tests of the platform have models of their own, in the same process.
    const isOurs = ({ modelName, collection }: (typeof mongoose.models)[string]) =>
      !modelName.startsWith('Test') && collection.name !== 'schema_of_things';
    const models = Object.values(mongoose.models).filter(isOurs);
    const indexes = models.reduce((sum, { schema }) => sum + 1 + schema.indexes().length, 0);
    expect({ collections: models.length, indexes }).to.deep.equal(stored);
  });
});
