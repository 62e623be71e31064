import mongoose from 'mongoose';
import { connectDatabase } from '../../src/platforms/database/connect.js';
import { addMigrations, latestVersion, migrateData } from '../../src/platforms/database/data-version.js';
import { endAllLeases } from '../../src/platforms/database/lease-store.js';

/** Another process that changes stored data as a later version might: each member of the folder's database, one by one. */
const [dataDir = ''] = process.argv.slice(2);

addMigrations([{ to: latestVersion() + 1, run }]);
const database = await connectDatabase({ uri: '', dataDir });
const members = () => mongoose.connection.collection('members');
async function run(): Promise<void> {
  for await (const { _id } of members().find({ changed: { $exists: false } })) {
    await members().updateOne({ _id }, { $inc: { changed: 1 } });
    process.send?.(`changed ${String(_id)}`);
    // The parent kills this process here, or resumes it.
    await new Promise((resolve) => process.once('message', resolve));
  }
}
// As the start does on a database that is this process's alone.
await endAllLeases();
await migrateData();
process.send?.(
  `done ${JSON.stringify(await members().distinct('changed'))} ${await members().countDocuments({ changed: 1 })}`,
);
await database.close();
process.exit();
