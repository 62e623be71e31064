import { parseArgs } from 'node:util';
import type { Config } from '../../config/config.js';
import { keyFileOf, loadSecretKeys, placesOf, readSecretKeys } from '../../config/secret-keys.js';
import { ConfigError } from '../../lib/start-error.js';
import { checkBackup } from '../../platforms/database/backup-file.js';
import { connectDatabase } from '../../platforms/database/connect.js';
import { acceptKeys, mismatchInWords, mismatchOf } from '../../platforms/database/known-keys.js';
import { putKeys, runDataCommand } from './stored-data.js';

// `rolelink keys`: whether this environment's keys fit the data. `--from FILE` extracts a backup's keys; `--accept`
// makes the current keys the data's.

async function takeFrom(config: Config, backup: string): Promise<string> {
  const { keys } = await checkBackup(backup);
  if (keys === null) throw new ConfigError(`${backup} contains no keys: the service had them in its environment.`);
  if (keyFileOf(placesOf(config)) === null)
    throw new ConfigError("SECRETS_KEY and BOT_TOKEN_KEYS are set in the environment, so key files aren't used.");
  putKeys(config.dataDir, keys);
  return `The keys of ${backup} were restored to ${keyFileOf(placesOf(config))}. Start the service.`;
}

async function compare(config: Config, accept: boolean): Promise<string> {
  const { mongodbUri: uri, dataDir } = config;
  // A running service would continue with other keys.
  const database = await connectDatabase({ uri, dataDir, besideRunning: !accept });
  try {
    if (accept) {
      await acceptKeys(loadSecretKeys(config));
      return 'The current keys are accepted. Start the service.';
    }
    const mismatch = await mismatchOf(readSecretKeys(config));
    if (mismatch !== null) throw new ConfigError(mismatchInWords(mismatch, placesOf(config)));
    return 'The keys match the stored data.';
  } finally {
    await database.close();
  }
}

await runDataCommand((config) => {
  const { from, accept } = parseArgs({ options: { from: { type: 'string' }, accept: { type: 'boolean' } } }).values;
  return from === undefined ? compare(config, accept === true) : takeFrom(config, from);
});
