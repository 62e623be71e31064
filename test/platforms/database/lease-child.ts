import { connectDatabase } from '../../../src/platforms/database/connect.js';
import { withLease } from '../../../src/platforms/database/lease.js';
import { incrementUnderLease } from './increment.js';

/** Another process on its arguments' database, which works under leases as the last ones say. */
const [uri = '', dbName = '', task = '', key = '', amount = ''] = process.argv.slice(2);

await connectDatabase({ uri, dataDir: '', dbName });
if (task === 'increment') {
  await incrementUnderLease(key, Number(amount));
  process.send?.('done');
  process.exit();
}
await withLease(
  key,
  async ({ fence }) => {
    process.send?.(`held ${fence}`);
    await new Promise(() => {});
  },
  { holdMs: Number(amount) },
);
