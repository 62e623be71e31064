import { z } from 'zod';
import { connectDatabase } from '../../../src/platforms/database/connect.js';
import { startJobs } from '../../../src/platforms/jobs/agenda.js';
import { defineJob } from '../../../src/platforms/jobs/define-job.js';
import { wake } from '../../../src/platforms/jobs/wake.js';

/** A service with two jobs on the embedded database in the folder of its argument. */
const [dataDir = ''] = process.argv.slice(2);
const data = z.strictObject({ memberId: z.string() });

const failing = defineJob({
  name: 'failing',
  data,
  concurrency: 1,
  run: async () => {
    throw new TypeError('no such luck');
  },
});

const endless = defineJob({
  name: 'endless',
  data,
  concurrency: 1,
  run: async ({ memberId }) => {
    process.send?.(`runs ${memberId}`);
    await new Promise(() => {});
  },
});

const { embedded } = await connectDatabase({ uri: '', dataDir });
await startJobs({ soleProcess: embedded });
process.send?.('started');
process.on('message', async (memberId) => {
  await wake(failing, { memberId: String(memberId) });
  await wake(endless, { memberId: String(memberId) });
});
