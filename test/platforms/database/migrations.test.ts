import { expect } from 'chai';
import mongoose from 'mongoose';
import { deleteEmptiedRemains } from '../../../src/platforms/database/emptied-remains.js';
import { world } from '../../support/world.js';

type Row = { _id: string } & Record<string, unknown>;
const rows = (name: string) => mongoose.connection.collection<Row>(name);

// ENV-22
describe('The migrations of stored data', () => {
  before(() => world());

  it('Emptied remains of removed documents are deleted, and filled ones wait for the relay', async () => {
    const removedAt = new Date();
    const outbox = [{ id: 'log_1', createdAt: removedAt }];
    await rows('groups').insertMany([
      { _id: 'emptied', guildId: 'removed 1', removedAt, outbox: [] },
      { _id: 'filled', guildId: 'removed 2', removedAt, outbox },
      { _id: 'living', guildId: 'living', groupId: '1' },
    ]);
    for (const _ of ['first', 'again']) await deleteEmptiedRemains();
    const ids = ['emptied', 'filled', 'living'];
    expect(
      (
        await rows('groups')
          .find({ _id: { $in: ids } })
          .toArray()
      ).map(({ _id }) => _id),
    ).to.have.members(ids.slice(1));
    await rows('groups').deleteMany({ _id: { $in: ids } });
  });
});
