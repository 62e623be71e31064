import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import mongoose, { Schema } from 'mongoose';
import sinon from 'sinon';
import { databaseReady } from '../../../src/platforms/database/connect.js';
import { buildIndexes } from '../../../src/platforms/database/index-building.js';
import { startChild, type TestChild } from '../../support/child-process.js';
import { linesOf, onLogLine } from '../../support/logged-lines.js';
import { connectTestDatabase } from '../../support/test-database.js';

describe('The database connection', () => {
  const connectTo = (uri: string, ...dbName: string[]) =>
    startChild('platforms/database/database-child.js', '', uri, ...dbName);

  let database: Awaited<ReturnType<typeof connectTestDatabase>>;
  /** Takes five seconds to give up, so it begins before the other tests. */
  let unreachable: TestChild;
  before(async () => {
    unreachable = connectTo('mongodb://rolelink:pa55word@127.0.0.1:1/rolelink');
    database = await connectTestDatabase();
  });
  after(() => database.close());

  it('The service uses the database that is asked for, or else the one in the address, or else rolelink', async () => {
    const named = database.uri.replace('/?', '/in_address?');
    const children = [connectTo(database.uri), connectTo(named), connectTo(named, 'asked_for')];
    const opened = await Promise.all(children.map((child) => child.report('open')));
    expect(opened).to.deep.equal(['rolelink remote', 'in_address remote', 'asked_for remote']);
    await Promise.all(children.map((child) => child.kill()));
  });

  it('A database server acknowledges writes when a majority has them on disk, and reads are limited in time', async () => {
    expect(mongoose.connection.getClient().options.writeConcern).to.include({ w: 'majority', journal: true });
    const query = mongoose.connection.model('Timed', new Schema({})).find();
    await query;
    mongoose.deleteModel('Timed');
    expect(query.getOptions()).to.include({ maxTimeMS: 10_000 });
  });

  it('A query takes no operator from a value that a schema knows as text', async () => {
    const Person = mongoose.model('Guarded', new Schema({ name: String }, { autoIndex: false }));
    await Person.create({ name: 'Ada' });
    const fromOutside: Record<string, unknown> = JSON.parse('{ "name": { "$ne": "nobody" } }');
    expect(await Person.countDocuments(fromOutside).catch((error) => error.name)).to.equal('CastError');
    expect(await Person.countDocuments({ name: 'Ada' })).to.equal(1);
    await Person.collection.drop();
    mongoose.deleteModel('Guarded');
  });

  it('buildIndexes refuses to start and names the collections with unbuildable indexes', async () => {
    const collection = mongoose.connection.collection('doubled');
    await collection.insertMany([{ key: 1 }, { key: 1 }]);
    const schema = new Schema({ key: Number }, { collection: 'doubled' });
    schema.index({ key: 1 }, { unique: true });
    mongoose.model('Doubled', schema);
    const error = await buildIndexes().catch((reason) => reason);
    mongoose.deleteModel('Doubled');
    await collection.drop();
    expect(error.name).to.equal('DatabaseStartError');
    expect(error.message).to.match(/^Indexes can't be built.\ndoubled: .*E11000 duplicate key/);
    await buildIndexes();
  });

  it('buildIndexes logs which collections are left when indexes take long', async () => {
    const schema = new Schema({ key: Number }, { collection: 'lengthy' });
    schema.index({ key: 1 });
    const { collection } = mongoose.model('Lengthy', schema);
    const create = collection.createIndexes.bind(collection);
    // Its index takes until a line names it alone.
    let stop = () => {};
    const isTold = new Promise<void>((resolve) => {
      stop = onLogLine((line) => {
        if (String(JSON.parse(line).left) === 'lengthy') resolve();
      });
    });
    sinon.replace(collection, 'createIndexes', (indexes) => isTold.then(() => create(indexes)));
    const told = (await linesOf(() => buildIndexes(undefined, 10))).filter(({ msg }) => msg === 'building indexes');
    stop();
    sinon.restore();
    mongoose.deleteModel('Lengthy');
    await collection.drop();
    expect(told.find(({ left }) => String(left) === 'lengthy')).to.include({ built: Number(told[0]?.of) - 1 });
  });

  it('A start drops an older version’s unique index, which would forbid values that are allowed now', async () => {
    const collection = mongoose.connection.collection('twice');
    await collection.createIndex({ key: 1 }, { unique: true });
    const schema = new Schema({ key: Number }, { collection: 'twice' });
    schema.index({ key: 1 });
    mongoose.model('Twice', schema);
    for (let starts = 0; starts < 2; starts += 1) await buildIndexes();
    mongoose.deleteModel('Twice');
    expect(await collection.insertMany([{ key: 1 }, { key: 1 }])).to.include({ insertedCount: 2 });
    await collection.drop();
  });

  describe('Readiness of the database', () => {
    let server: Server;
    let child: TestChild;
    const sockets: Socket[] = [];
    before(async () => {
      const socketPath = decodeURIComponent(new URL(database.uri).host);
      server = createServer((client) => {
        const engine = connect(socketPath);
        sockets.push(client, engine);
        client.on('error', () => engine.destroy()).pipe(engine);
        engine.on('error', () => client.destroy()).pipe(client);
      }).listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      child = connectTo(`mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/?directConnection=true`);
      await child.report('open');
    });
    after(async () => {
      await child.kill();
      server.close();
    });

    it('The service reports the database as ready when the database answers', async () => {
      expect(await databaseReady()).to.equal(true);
      child.send('ping');
      expect(JSON.parse(await child.report('ready'))).to.include({ ready: true });
    });

    it('The service reports the database as not ready within about a second when the database is silent', async () => {
      for (const socket of sockets) socket.unpipe().pause();
      child.reports.length = 0;
      child.send('ping');
      const { ready, ms } = JSON.parse(await child.report('ready'));
      expect(ready).to.equal(false);
      expect(ms).to.be.within(900, 15_000);
    });
  });

  it('A failed connection is reported within seconds, in words and without the password', async () => {
    const malformed = connectTo('mongodb://rolelink:pa55word@:99999');
    expect(await malformed.report('refused'))
      .to.match(/^DatabaseStartError: The address mongodb:\/\/… \(MONGODB_URI\) can't be read\. /)
      .and.not.contain('pa55word');
    expect(await unreachable.report('refused'))
      .to.match(/^DatabaseStartError: Can't connect to MongoDB at mongodb:\/\/127.0.0.1:1\/rolelink .*ECONNREFUSED/)
      .and.not.contain('pa55word');
  });
});
