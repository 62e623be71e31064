import { expect } from 'chai';
import mongoose from 'mongoose';
import { world } from '../support/world.js';

/** Each collection costs files and a look at each start, each index every write. Lower these with a change that can. */
const most = { collections: 32, indexes: 155 };

describe('The size of the stored data', () => {
  before(() => world());

  it('The service has few collections and indexes', () => {
    const models = Object.values(mongoose.models).filter(({ collection }) => collection.name !== 'schema_of_things');
    const indexes = models.reduce((sum, { schema }) => sum + 1 + schema.indexes().length, 0);
    expect(models.length).to.be.at.most(most.collections);
    expect(indexes).to.be.at.most(most.indexes);
  });
});
