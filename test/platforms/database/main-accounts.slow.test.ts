import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import mongoose from 'mongoose';
import { nameMainAccounts } from '../../../src/platforms/database/main-accounts.js';
import { eventually } from '../../support/build.js';
import { connectTestDatabase } from '../../support/test-database.js';

const people = 100_000;
const perInsert = 10_000;
const linkedAt = new Date('2026-10-01T00:00:00Z');
const moduleUrl = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

/** A process running the migration on the database at `uri`, and says when its first command is on its way. */
const migrating = ({ uri, dbName }: { uri: string; dbName: string }): string => `
  const { default: mongoose } = await import('mongoose');
  const { nameMainAccounts } = await import(${moduleUrl('../../../src/platforms/database/main-accounts.js')});
  await mongoose.connect(${JSON.stringify(uri)}, { dbName: ${JSON.stringify(dbName)}, monitorCommands: true });
  mongoose.connection.getClient().on('commandStarted', ({ commandName }) => console.log(commandName));
  await nameMainAccounts();
`;

// ENV-22, ID-93
describe('The migration to main accounts with 100,000 people', () => {
  let database: Awaited<ReturnType<typeof connectTestDatabase>>;
  before(async () => {
    database = await connectTestDatabase();
  });
  after(async () => {
    await accounts().deleteMany({ linkedAt });
    await database.close();
  });

  const accounts = () => mongoose.connection.collection<{ _id: string }>('accounts');
  const unnamed = () => accounts().countDocuments({ linkedAt, mainSince: { $ne: linkedAt } });

  async function fill(): Promise<void> {
    for (let from = 0; from < people; from += perInsert) {
      const row = (_: unknown, n: number) => ({
        _id: `1${String(from + n).padStart(17, '0')}`,
        method: 'oauth',
        linkedAt,
      });
      const rows = Array.from({ length: perInsert }, row);
      await accounts().insertMany(rows.map((each, n) => ({ ...each, gameUserId: String(from + n + 1) })));
    }
  }

  it('A process that is killed during the migration leaves a database that the next one finishes', async () => {
    await fill();
    const cwd = fileURLToPath(new URL('../../../..', import.meta.url));
    const child = spawn(process.execPath, ['--input-type=module', '-e', migrating(database)], { cwd });
    const over = once(child, 'exit');
    for await (const line of child.stdout) if (/update|find|aggregate/.test(String(line))) break;
    await eventually(async () => (await unnamed()) < people, 'the first main accounts');
    child.kill('SIGKILL');
    await over;
    const left = await unnamed();
    const startedAt = performance.now();
    await nameMainAccounts();
    const ms = Math.round(performance.now() - startedAt);
    process.stdout.write(`    main accounts: ${left} of ${people} left by the kill, finished in ${ms} ms\n`);
    expect(await unnamed()).to.equal(0);
    await accounts().updateMany({ linkedAt }, { $unset: { mainSince: 1 } });
    const anew = performance.now();
    await nameMainAccounts();
    process.stdout.write(`    main accounts: ${people} in ${Math.round(performance.now() - anew)} ms\n`);
    expect(await unnamed()).to.equal(0);
  });
});
