import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { logger } from '../../lib/logger.js';
import { DatabaseStartError, diskFault } from '../../lib/start-error.js';
import { lockDirectory } from './directory-lock.js';
import { freeMegabytes, laterStartMb, requireDiskSpace } from './disk-space.js';
import { publishAddress, removeSocketFolderLeft, withdrawAddress } from './engine-address.js';
import { currentSystem, engineUnavailable, needsPatch, patchBinaries } from './engine-binaries.js';
import { EngineNotOpened, EngineProcess } from './engine-process.js';

export interface EmbeddedEngine {
  /** The `mongodb://` address of a local socket, reachable for every driver of this user on this machine. */
  uri: string;
  /**
   * The reason the engine ended after it was opened, even if it is open again; null if it never ended. Takes at most 2
   * s.
   */
  whyEnded(): Promise<Error | null>;
  /** Cuts the connections, finishes running commands, and releases the directory. */
  close(): Promise<void>;
}

/**
 * Opens MongoDB's own engine on `directory` in a separate process; the directory is created if missing. The database is
 * in `directory`/data; patched binaries, if needed, are in `directory`/engine-…. Only one process can open a directory.
 * @throws DatabaseStartError if the directory is in use or not writable, the disk is full (see `requireDiskSpace`), the
 * system is unsupported, or files are damaged.
 */
export async function openEmbeddedEngine(directory: string): Promise<EmbeddedEngine> {
  const root = resolve(directory);
  try {
    return await openIn(root);
  } catch (error) {
    throw error instanceof DatabaseStartError ? error : await explain(error, root);
  }
}

async function openIn(root: string): Promise<EmbeddedEngine> {
  const system = currentSystem();
  const mustPatch = needsPatch(system);
  await requireDiskSpace(root);
  await mkdir(root, { recursive: true, mode: 0o700 });
  const lock = await lockDirectory(root);
  try {
    await removeSocketFolderLeft(root);
    const binary = mustPatch ? await patchBinaries(root, system) : undefined;
    logger.info({ directory: root }, 'opening the embedded database');
    const engine = await EngineProcess.open(join(root, 'data'), binary, (error) => explain(error, root));
    await publishAddress(root, engine.uri);
    const close = async () => {
      await withdrawAddress(root);
      await engine.close().finally(() => lock.release());
    };
    return { uri: engine.uri, whyEnded: () => engine.whyEnded(), close };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** The reason the engine can't be opened or reopened. */
async function explain(error: unknown, root: string): Promise<DatabaseStartError> {
  const message = error instanceof Error ? error.message : String(error);
  const state = error instanceof EngineNotOpened ? error.state : undefined;
  if (state === 'unavailable') return engineUnavailable(`its binaries do not load (${message})`, error);
  const freeMB = state === 'ended' ? await freeMegabytes(root).catch(() => laterStartMb) : laterStartMb;
  if (freeMB < laterStartMb) {
    const words = `The embedded database in ${root} has ended: its disk is full (${freeMB} MB free). Make room, and start again.`;
    return new DatabaseStartError(words, { cause: error });
  }
  if (state === 'ended' && message === 'SIGKILL') {
    const words = `The embedded database in ${root} was killed (SIGKILL), mostly for want of memory. Give the machine more, and start again.`;
    return new DatabaseStartError(words, { cause: error });
  }
  if (state === 'ended') {
    return new DatabaseStartError(
      `The embedded database in ${root} can't be opened: its files are damaged (the engine ended with ${message}). ` +
        `Move ${join(root, 'data')} elsewhere, and put a backup in its place: rolelink restore FILE.`,
      { cause: error },
    );
  }
  // Only WiredTiger's own lock detects a process in another container with the same directory.
  if (message.includes('DBPathInUse')) {
    return new DatabaseStartError(`Another process, perhaps in another container, is using ${root}. Stop it first.`);
  }
  const words = diskFault(root, error) ?? `The embedded database in ${root} can't be opened: ${message}`;
  return new DatabaseStartError(words, { cause: error });
}
