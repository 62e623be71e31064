import mongoose from 'mongoose';
import { connectDatabase, databaseReady } from '../../../src/platforms/database/connect.js';

/** Another process with a database: embedded in the folder, or at the address, from its arguments. Obeys messages. */
const [dataDir = '', uri = '', dbName] = process.argv.slice(2);

const report = (text: string) => process.send?.(text);

async function writeForEver(): Promise<void> {
  for (let number = 0; ; number += 1) {
    await mongoose.connection.collection<{ _id: number }>('written').insertOne({ _id: number });
    report(`written ${number}`);
  }
}

async function count(): Promise<void> {
  report(`count ${await mongoose.connection.collection('written').countDocuments()}`);
}

async function concern(): Promise<void> {
  report(`concern ${JSON.stringify(mongoose.connection.getClient().options.writeConcern)}`);
}

/** Runs a query that two indexes fit and neither answers soon, so that their plans compete. */
async function compete(): Promise<void> {
  const rivals = mongoose.connection.collection<{ _id: number; one: number; other: number }>('rivals');
  await rivals.createIndexes([{ key: { one: 1 } }, { key: { other: 1 } }]);
  if ((await rivals.countDocuments()) === 0)
    await rivals.insertMany(Array.from({ length: 20_000 }, (_, index) => ({ _id: index, one: 1, other: 1 })));
  const found = await rivals.find({ one: 1, other: 1, none: 1 }).toArray().catch(String);
  report(`found ${JSON.stringify(found)}`);
}

async function ping(): Promise<void> {
  const askedAt = performance.now();
  const ready = await databaseReady();
  report(`ready ${JSON.stringify({ ready, ms: performance.now() - askedAt })}`);
}

try {
  const database = await connectDatabase({ uri, dataDir, ...(dbName === undefined ? {} : { dbName }) });
  report(`open ${mongoose.connection.name} ${database.embedded ? 'embedded' : 'remote'}`);
  const close = async () => {
    await database.close();
    report('closed');
    process.exit();
  };
  const tasks: Record<string, () => Promise<void>> = { write: writeForEver, count, compete, ping, concern, close };
  process.on('message', (name) => void tasks[String(name)]?.());
} catch (error) {
  report(`refused ${error instanceof Error ? `${error.name}: ${error.message}` : error}`);
  process.exit();
}
