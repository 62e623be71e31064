import { connectDatabase } from '../../../src/platforms/database/connect.js';
import { plain, workOff } from './pending-items.js';

/** Another process on its arguments' database: it completes due work, or claims one item and keeps it. */
const [uri = '', dbName = '', task = ''] = process.argv.slice(2);

await connectDatabase({ uri, dataDir: '', dbName });
process.send?.('ready');
process.on('message', () => {
  void (async () => {
    if (task === 'work') process.send?.(`done ${await workOff()}`);
    else process.send?.(`claimed ${(await plain.claimNext())?._id}`);
  })();
});
