import { channel } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import mongoose, { type Connection, type Model, type mongo, Schema } from 'mongoose';
import { plans } from '../../../src/core/plans/plans.js';
import { aggregateDirectly, readDirectly, readOneDirectly } from '../../../src/platforms/database/direct-reads.js';
import { connectTestDatabase } from '../../support/test-database.js';

interface Row {
  _id: string;
  n: number;
}

/** More than a batch has. */
const count = 2_500;
const idOf = (n: number): string => String(n).padStart(4, '0');

describe('Reads past Mongoose', () => {
  let database: Awaited<ReturnType<typeof connectTestDatabase>>;
  let connection: Connection;
  let rows: Model<Row>;
  const sockets: Socket[] = [];
  const keep = (message: unknown) => sockets.push((message as { socket: Socket }).socket);
  const started: mongo.CommandStartedEvent[] = [];

  before(async () => {
    database = await connectTestDatabase();
    channel('net.client.socket').subscribe(keep);
    const settings = { readConcern: { level: 'local' }, monitorCommands: true, dbName: 'direct_reads' } as const;
    connection = await mongoose.createConnection(database.uri, settings).asPromise();
    connection.getClient().on('commandStarted', (event) => started.push(event));
    rows = connection.model<Row>('Row', new Schema<Row>({ _id: String, n: Number }, { collection: 'rows' }));
    await rows.collection.insertMany(Array.from({ length: count }, (_, n) => ({ _id: idOf(n), n })) as never);
    channel('net.client.socket').unsubscribe(keep);
  });
  beforeEach(() => started.splice(0));
  after(async () => {
    await connection.dropDatabase();
    await connection.close();
    await database.close();
  });

  const commands = (): string[] => started.map(({ commandName }) => commandName);

  it('A direct read gives a page by one command, with the usual time limit and read concern', async () => {
    const page = await readDirectly(
      rows,
      { n: mongoose.trusted({ $gt: 9 }) },
      { sort: { _id: -1 }, limit: -3, skip: 1 },
    );
    expect(page.map(({ n }) => n)).to.deep.equal([2_498, 2_497, 2_496]);
    expect(commands()).to.deep.equal(['find']);
    expect(started[0]?.command).to.deep.include({ maxTimeMS: 10_000, limit: 3, singleBatch: true });
    expect(started[0]?.command.readConcern).to.deep.include({ level: 'local' });
  });

  it('A direct read finds one document by its id, or gives null', async () => {
    expect(await readOneDirectly(rows, '0007', { _id: 0 })).to.deep.equal({ n: 7 });
    expect(await readOneDirectly(rows, '9999')).to.equal(null);
    expect(commands()).to.deep.equal(['find', 'find']);
  });

  it('A direct read takes one command for as many rows as the rules of the largest plan have', async () => {
    const { mappings, groups } = plans.enterprise;
    const most = mappings + groups + ['the guild', 'the settings'].length;
    const pipeline = [{ $match: {} }, { $limit: most }];
    expect(await aggregateDirectly(rows as never, pipeline)).to.have.length(most);
    expect(commands()).to.deep.equal(['aggregate']);
  });

  it('A direct read gives all documents where they are more than one batch holds', async () => {
    const all = await readDirectly(rows, {}, { sort: { _id: 1 } });
    expect(all.map(({ n }) => n)).to.deep.equal(Array.from({ length: count }, (_, n) => n));
    expect(await aggregateDirectly(rows as never, [{ $match: {} }])).to.have.length(count);
  });

  it('A direct read is tried once more where the connection has just ended', async () => {
    expect(sockets).to.have.length.of.at.least(1);
    for (const socket of sockets) socket.destroy();
    expect(await readOneDirectly(rows, '0007')).to.deep.equal({ _id: '0007', n: 7 });
  });

  it('A direct read is not tried again where the server has worked for as long as it may', async () => {
    const limit = mongoose.get('maxTimeMS');
    mongoose.set('maxTimeMS', 1);
    const endless = [{ $project: { m: { $range: [0, 1_000_000] } } }, { $unwind: '$m' }, { $group: { _id: '$m' } }];
    const failure = await aggregateDirectly(rows as never, endless).catch(
      (error: mongo.MongoServerError) => error.code,
    );
    mongoose.set('maxTimeMS', limit);
    expect(failure).to.equal(50);
    expect(commands()).to.deep.equal(['aggregate']);
  });
});
