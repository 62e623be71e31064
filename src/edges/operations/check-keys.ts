import { existsSync } from 'node:fs';
import mongoose from 'mongoose';
import type { Config } from '../../config/config.js';
import { keyFileOf, placesOf, readSecretKeys } from '../../config/secret-keys.js';
import { ConfigError } from '../../lib/start-error.js';
import { hasKnownKeys, mismatchInWords, mismatchOf } from '../../platforms/database/known-keys.js';
import { type Finding, fault } from './finding.js';

/** The keys' faults, checked against the open database; without one, only in themselves. */
export async function keyFaults(sources: Config): Promise<Finding[]> {
  const places = placesOf(sources);
  const file = keyFileOf(places);
  const isOpen = mongoose.connection.readyState === mongoose.ConnectionStates.connected;
  const todo = 'rolelink keys --from FILE restores them from a backup. rolelink keys --accept continues without them.';
  if (file !== null && !existsSync(file)) {
    if (!isOpen || !(await hasKnownKeys())) return [];
    return [fault('keys_missing', `${file} is missing, and the data depends on its keys.`, todo)];
  }
  try {
    const keys = readSecretKeys(sources);
    const mismatch = isOpen ? await mismatchOf(keys) : null;
    return mismatch === null ? [] : [fault('keys_wrong', mismatchInWords(mismatch, places), todo)];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [fault('keys_unreadable', error.message, todo)];
  }
}
