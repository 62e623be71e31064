import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import mongoose from 'mongoose';
import { type Config, loadConfig } from '../../../src/config/config.js';
import { loadSecretKeys } from '../../../src/config/secret-keys.js';
import { backUp, restore } from '../../../src/edges/cli/stored-data.js';
import { uniqueIndexes } from '../../../src/edges/cli/unique-indexes.js';
import { ConfigError } from '../../../src/lib/start-error.js';
import { checkBackup, documentsOf, writeBackup } from '../../../src/platforms/database/backup-file.js';
import { openStore } from '../../../src/platforms/database/data-store.js';
import { buildIndexes } from '../../../src/platforms/database/index-building.js';
import { endProcesses, startProcess } from '../../boot/service-process.js';
import { freePort } from '../../sandbox/kit/free-port.js';
import { removeFolder } from '../../support/remove-folder.js';
import { world } from '../../support/world.js';

/** A reproducible random number below `limit` at each call. */
function randomNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % limit;
  };
}

const people = 1_500;
const guilds = 600;
const personId = (index: number): string => `1${String(index).padStart(17, '0')}`;

// ENV-14, ENV-15, ENV-17
describe('Restoring a backup of a running service', () => {
  let folder: string;
  let client: mongoose.mongo.MongoClient;
  const used: string[] = [];

  /** The configuration for its own empty database. */
  async function ownDatabase(name: string): Promise<Config> {
    const { database, environment } = await world();
    const dbName = `${name}_${process.pid}`;
    used.push(dbName);
    const MONGODB_URI = database.uri.replace(/\/[^/?]*(\?|$)/, `/${dbName}$1`);
    return loadConfig({ ...environment, MONGODB_URI, DATA_DIR: folder });
  }
  const dbOf = (config: Config) => client.db(/\/(\w+)(\?|$)/.exec(config.mongodbUri)?.[1]);
  const accountsOf = (db: mongoose.mongo.Db) => db.collection<{ _id: string; gameUserId?: string }>('accounts');
  const resyncsOf = (db: mongoose.mongo.Db) =>
    db.collection<{ _id: string; guildId: string; kind: string; open?: true }>('plans');

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rolelink-restore-'));
    client = await new mongoose.mongo.MongoClient((await world()).database.uri).connect();
  });
  after(async () => {
    await endProcesses();
    for (const name of used) await client.db(name).dropDatabase();
    await client.close();
    await removeFolder(folder);
  });

  /** Every person has a game account, and every guild an open resync. */
  async function fill(db: mongoose.mongo.Db): Promise<void> {
    for (const { collection, keys, options } of uniqueIndexes())
      await db.collection(collection).createIndex(keys, options);
    const accounts = Array.from({ length: people }, (_, index) => ({
      _id: personId(index),
      gameUserId: String(index + 1),
    }));
    await accountsOf(db).insertMany(accounts);
    for (let guild = 0; guild < guilds; guild += 1) await openResync(db, guild);
  }
  let resyncs = 0;
  async function openResync(db: mongoose.mongo.Db, guild: number): Promise<void> {
    resyncs += 1;
    const _id = `job_${String(resyncs).padStart(24, '0')}`;
    await resyncsOf(db).insertOne({ _id, guildId: personId(guild), kind: 'whole', open: true });
  }

  /** Changes by a service in the meantime: an account changes owners, or a resync ends and the next begins. */
  async function writeAtRandom(db: mongoose.mongo.Db, random: (limit: number) => number): Promise<void> {
    const [from, to, guild] = [personId(random(people)), personId(random(people)), random(guilds)];
    const taken = await accountsOf(db).findOneAndUpdate({ _id: from }, { $unset: { gameUserId: 1 } });
    if (taken?.gameUserId) await accountsOf(db).updateOne({ _id: to }, { $set: { gameUserId: taken.gameUserId } });
    await resyncsOf(db).updateMany({ guildId: personId(guild) }, { $unset: { open: 1 } });
    await openResync(db, guild);
  }

  /** Each account's owner, and each guild's open resync, by the file's last lines; and the repeated ones. */
  async function claimsIn(file: string) {
    const latest = new Map<string, string>();
    const twice = { accounts: 0, plans: 0 };
    for await (const { collection, document } of documentsOf(file)) {
      if (collection !== 'accounts' && collection !== 'plans') continue;
      const claim = collection === 'accounts' ? document.gameUserId : document.open && document.guildId;
      if (typeof claim !== 'string') continue;
      if (latest.has(claim)) twice[collection] += 1;
      latest.set(claim, String(document._id));
    }
    return { latest, twice };
  }

  // ENV-89
  it('A restore brings no processes at work: a start with other shards is not refused by the backup’s', async () => {
    const [source, target] = [await ownDatabase('shards_source'), await ownDatabase('shards_target')];
    const states = (config: Config) => dbOf(config).collection<{ _id: string }>('service_state');
    const row = { first: 0, last: 3, total: 4, process: 'other', seenAt: new Date() };
    await states(source).insertMany([{ _id: 'shards 0-3/4', ...row }, { _id: 'known_keys' }]);
    const file = join(folder, 'with-shards');
    loadSecretKeys({ dataDir: folder });
    await backUp(source, file);
    await restore(target, file, true);
    expect(await states(target).distinct('_id')).to.deep.equal(['known_keys']);
  });

  // ENV-16
  it('A restore keeps the later claim of each pair in the backup, reports it, and leaves a database that starts', async () => {
    const source = await ownDatabase('restore_source');
    await fill(dbOf(source));
    const random = randomNumbers(34);
    const store = await openStore({ uri: source.mongodbUri, dataDir: folder, beside: true });
    async function* whileOthersWrite() {
      let read = 0;
      for await (const stored of store.read()) {
        yield stored;
        read += 1;
        if (read % 4 === 0) await writeAtRandom(dbOf(source), random);
      }
    }
    const file = join(folder, 'written-meanwhile');
    loadSecretKeys({ dataDir: folder });
    const keys = await readFile(join(folder, 'keys.json'), 'utf8');
    await writeBackup(
      file,
      { rolelink: 'backup', version: 1, madeAt: new Date(0).toISOString(), keys },
      whileOthersWrite(),
    );
    await store.close();
    const { latest, twice } = await claimsIn(file);
    expect(twice.accounts).to.be.greaterThan(5);
    expect(twice.plans).to.be.greaterThan(5);

    const target = await ownDatabase('restore_target');
    expect(await restore(target, file, false)).to.contain(
      `the later claim was kept: accounts: ${twice.accounts}, plans: ${twice.plans}.`,
    );
    const restored = dbOf(target);
    const accounts = await accountsOf(restored)
      .find({ gameUserId: { $exists: true } })
      .toArray();
    const open = await resyncsOf(restored).find({ open: true }).toArray();
    const held = accounts.map(({ _id, gameUserId = '' }) => [gameUserId, _id] as const);
    expect(new Map([...held, ...open.map(({ _id, guildId }) => [guildId, _id] as const)])).to.deep.equal(latest);
    // The former holder is still there, and the next start brings their guilds in line.
    const left = await restored.collection('accounts').countDocuments({ 'unsettled.reason': 'transferred' });
    expect(left).to.equal(twice.accounts);

    const { environment } = await world();
    const service = startProcess({
      ...environment,
      MONGODB_URI: target.mongodbUri,
      DATA_DIR: folder,
      LOG_LEVEL: 'info',
      PORT: String(await freePort()),
    });
    await service.logged('ready');
    service.signal('SIGTERM');
    expect(await service.ended).to.equal(0);
  });

  it('A restore checks every unique index that a start builds', async () => {
    await world();
    await buildIndexes();
    const { db } = mongoose.connection;
    const built: string[] = [];
    for (const { name } of (await db?.listCollections().toArray()) ?? []) {
      const indexes = (await db?.collection(name).indexes()) ?? [];
      built.push(...indexes.filter(({ unique }) => unique).map(({ key }) => `${name} ${JSON.stringify(key)}`));
    }
    const known = uniqueIndexes().map(({ collection, keys }) => `${collection} ${JSON.stringify(keys)}`);
    expect(built).to.not.be.empty;
    expect(known).to.include.members(built);
  });

  // ENV-16
  it('A restore marks the database before it swaps the keys, and keeps the old ones', async () => {
    const config = await ownDatabase('restore_keys');
    const dataDir = await mkdtemp(join(folder, 'keys-'));
    const own = { ...config, dataDir, secretsKey: undefined, botTokenKeys: undefined };
    await writeFile(join(dataDir, 'keys.json'), 'ours');
    await dbOf(config)
      .collection('accounts')
      .insertOne({ _id: 'kept' as never });
    const file = join(dataDir, 'backup');
    await backUp(own, file);
    expect((await checkBackup(file)).keys).to.equal('ours');
    await writeFile(join(dataDir, 'keys.json'), 'newer');
    // A folder in the new file's way stops it when swapping.
    await mkdir(join(dataDir, 'keys.json.part'));
    const failed = await restore(own, file, true).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(Error);
    expect(await dbOf(config).collection('data_version').findOne()).to.include({ restoring: true });
    expect(await readFile(join(dataDir, 'keys.json'), 'utf8')).to.equal('newer');
    await removeFolder(join(dataDir, 'keys.json.part'));
    expect(await restore(own, file, true)).to.contain('Start the service.');
    expect(await readFile(join(dataDir, 'keys.json'), 'utf8')).to.equal('ours');
    expect(await dbOf(config).collection('data_version').findOne()).to.not.have.property('restoring');
  });

  it('A backup that can not be written to its place reports it in one sentence, and leaves nothing', async () => {
    const config = await ownDatabase('restore_nowhere');
    const failing = async (path: string): Promise<string> => {
      const error = await backUp(config, path).catch((caught: unknown) => caught);
      expect(error).to.be.instanceOf(ConfigError);
      return error instanceof Error ? error.message : '';
    };
    const missing = join(folder, 'missing', 'backup');
    expect(await failing(missing)).to.equal(`${missing} can't be written: its folder does not exist (ENOENT).`);
    const below = join(folder, 'file', 'backup');
    await writeFile(join(folder, 'file'), '');
    expect(await failing(below)).to.equal(`${below} can't be written: part of its path is a file (ENOTDIR).`);
    await mkdir(join(folder, 'taken.part'));
    expect(await failing(join(folder, 'taken'))).to.contain('it is a folder (EISDIR)');
  });
});
