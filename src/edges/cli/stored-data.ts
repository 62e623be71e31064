import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, loadConfig } from '../../config/config.js';
import { processEnvironment } from '../../config/process-environment.js';
import { withoutGame } from '../../features/accounts/account-model.js';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { ConfigError } from '../../lib/start-error.js';
import { type BackupHeader, checkBackup, documentsOf, writeBackup } from '../../platforms/database/backup-file.js';
import type { Replaced, Replacement, StoredDocument } from '../../platforms/database/data-replacement.js';
import { openStore } from '../../platforms/database/data-store.js';
import { latestVersion, refuseNewer } from '../../platforms/database/data-version.js';
import { isProcessRow } from '../../platforms/discord/shard-rows.js';
import { errorInWords } from './error-in-words.js';
import { uniqueIndexes } from './unique-indexes.js';

const usesOwnKeys = ({ secretsKey, botTokenKeys }: Config): boolean =>
  secretsKey === undefined || botTokenKeys === undefined;

/** Backs up everything to a file, even while a service runs. Returns a sentence. Throws StartError. */
export async function backUp(config: Config, path: string): Promise<string> {
  const store = await openStore({ uri: config.mongodbUri, dataDir: config.dataDir, beside: true });
  try {
    const keyFile = join(config.dataDir, 'keys.json');
    const keys = usesOwnKeys(config) && existsSync(keyFile) ? readFileSync(keyFile, 'utf8') : null;
    const version = store.version?.version ?? latestVersion([]);
    const head: BackupHeader = { rolelink: 'backup', version, madeAt: clock.now().toISOString(), keys };
    const count = await writeBackup(path, head, store.read());
    const withKeys =
      keys === null ? 'Back up SECRETS_KEY and BOT_TOKEN_KEYS as well' : 'It contains the keys, so keep it private';
    return `${count} documents were written to ${path}. ${withKeys}.`;
  } finally {
    await store.close();
  }
}

/**
 * Before this version changes the stored documents, backs them up to a file of `folder`, unless that is there already
 * (ENV-94). Returns a sentence about what it wrote. Throws StartError.
 */
export async function backUpBeforeUpgrade(config: Config, folder: string): Promise<string | undefined> {
  const store = await openStore({ uri: config.mongodbUri, dataDir: config.dataDir, beside: true });
  const isDue = await (async () => {
    const isNew = store.version === null && (await store.isEmpty());
    return !isNew && (store.version?.version ?? latestVersion([])) < latestVersion();
  })().finally(() => store.close());
  const path = join(folder, `before-data-${latestVersion()}`);
  if (!isDue || existsSync(path)) return undefined;
  return backUp(config, path);
}

/** Replaces the data with a backup; `replace` is required unless the database is empty. Throws StartError. */
export async function restore(config: Config, path: string, replace: boolean): Promise<string> {
  const { version, keys, madeAt } = await checkBackup(path);
  refuseNewer(version);
  const store = await openStore({ uri: config.mongodbUri, dataDir: config.dataDir, beside: false });
  try {
    await refuseFull(store, replace, 'Add --replace to overwrite it with the backup.');
    const given = keys !== null && usesOwnKeys(config) ? keys : null;
    if (given !== null && !replace) refuseOtherKeys(config.dataDir, given);
    const { count, outdone } = await store.replace({
      ...replacing(version, withoutProcesses(documentsOf(path))),
      whenMarked: () => given !== null && putKeys(config.dataDir, given),
    });
    const next = given === null ? keysElsewhere : 'Start the service.';
    return [`${count} documents from ${madeAt} were restored.`, ...claimedTwice(outdone), next].join(' ');
  } finally {
    await store.close();
  }
}

/** A backed-up service's processes are not at work here: their shards are free (ENV-89). */
async function* withoutProcesses(documents: Replacement['documents']): AsyncGenerator<StoredDocument> {
  for await (const stored of documents) if (!isProcessRow(stored)) yield stored;
}

const replacing = (version: number, documents: Replacement['documents']): Replacement => ({
  version,
  documents,
  unique: uniqueIndexes(),
  outdone: { accounts: withoutGame },
});

/** The sentence about values that changed owners while the backup was written. */
function claimedTwice(outdone: Replaced['outdone']): string[] {
  const all = Object.entries(outdone).map(([collection, count]) => `${collection}: ${count}`);
  if (all.length === 0) return [];
  return [`These changed while the backup was being written; the later claim was kept: ${all.join(', ')}.`];
}

const keysElsewhere = 'Set SECRETS_KEY and BOT_TOKEN_KEYS to the values of the backed-up service.';

/** Copies the embedded database to an empty server. Throws StartError. */
export async function migrate(config: Config, to: string): Promise<string> {
  if (config.mongodbUri !== '')
    throw new ConfigError('MONGODB_URI is already set, so there is no embedded database to copy.');
  const source = await openStore({ uri: '', dataDir: config.dataDir, beside: false });
  try {
    const target = await openStore({ uri: to, dataDir: config.dataDir, beside: true, name: '--to' });
    try {
      await refuseFull(target, false, 'Use another database name in the address.');
      const { count } = await target.replace(replacing(source.version?.version ?? latestVersion([]), source.read()));
      return `${count} documents were copied. Now set MONGODB_URI to that address, and keep ${join(config.dataDir, 'keys.json')}.`;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** A database left by an interrupted restore counts as empty. */
async function refuseFull(store: Awaited<ReturnType<typeof openStore>>, replace: boolean, hint: string): Promise<void> {
  if (replace || store.version?.restoring || (await store.isEmpty())) return;
  throw new ConfigError(`That database already contains documents. ${hint}`);
}

function refuseOtherKeys(dataDir: string, keys: string): void {
  const file = join(dataDir, 'keys.json');
  if (!existsSync(file) || readFileSync(file, 'utf8') === keys) return;
  throw new ConfigError(`${file} has other keys than the backup. Add --replace to overwrite them.`);
}

/** Writes a backup's keys completely or not at all. Different existing keys are kept in a second file. */
export function putKeys(dataDir: string, keys: string): void {
  const file = join(dataDir, 'keys.json');
  // Beside another database server nothing has made the folder yet.
  mkdirSync(dataDir, { recursive: true });
  if (existsSync(file) && readFileSync(file, 'utf8') !== keys) copyFileSync(file, `${file}.before-${clock.epochMs()}`);
  writeFileSync(`${file}.part`, keys, { mode: 0o600, flush: true });
  renameSync(`${file}.part`, file);
}

/** Runs a command and prints its result or its error's message; after an error, the exit code is 1. */
export async function runDataCommand(command: (config: Config) => Promise<string>): Promise<void> {
  try {
    logger.level = 'silent';
    process.stdout.write(`${await command(loadConfig(processEnvironment()))}\n`);
  } catch (error) {
    process.stderr.write(`${errorInWords(error)}\n`);
    process.exitCode = 1;
  }
}

/** The command's only file argument. Throws ConfigError. */
export function onlyFile(positionals: string[], command: string): string {
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new ConfigError(`Name one file. See rolelink ${command} --help.`);
  return file;
}
