import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { logger } from '../../lib/logger.js';
import { DatabaseStartError, diskFault } from '../../lib/start-error.js';
import { freeMegabytes, laterStartMb, requireDiskSpace } from './disk-space.js';
import { publishAddress, removeSocketFolderLeft, withdrawAddress } from './engine-address.js';
import { currentSystem, engineUnavailable, needsPatch, patchBinaries, removeOtherBinaries } from './engine-binaries.js';
import { EngineNotOpened, EngineProcess } from './engine-process.js';

export interface EmbeddedEngine {
  /** The `mongodb://` address of a local socket, reachable for every driver this user runs on this machine. */
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
 * Opens MongoDB's own engine on `directory`, which is created when missing, in its own process. The database is in
 * `directory`/data; patched binaries, where the system needs them, are in `directory`/engine-…. A directory can be open
 * in one process: the engine locks its files, and a second process is refused after some 5 s.
 * @throws DatabaseStartError in words: directory in use or not writable, disk full (see `requireDiskSpace`), system not supported, files damaged.
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
  const binary = mustPatch ? await patchBinaries(root, system) : undefined;
  logger.info({ directory: root }, 'opening the embedded database');
  const engine = await EngineProcess.open(join(root, 'data'), binary, (error) => explain(error, root));
  try {
    await tidy(root, binary);
    await publishAddress(root, engine.uri);
  } catch (error) {
    await engine.close();
    throw error;
  }
  const close = async () => {
    await withdrawAddress(root);
    await engine.close();
  };
  return { uri: engine.uri, whyEnded: () => engine.whyEnded(), close };
}

/** Removes earlier processes' remains. An open engine proves that no other process uses the directory. */
async function tidy(root: string, binary: string | undefined): Promise<void> {
  await removeSocketFolderLeft(root);
  await removeOtherBinaries(root, binary);
}

async function explain(error: unknown, root: string): Promise<DatabaseStartError> {
  const message = error instanceof Error ? error.message : String(error);
  const state = error instanceof EngineNotOpened ? error.state : undefined;
  if (state === 'unavailable') return engineUnavailable(`its binaries don't load (${message})`, error);
  const freeMB = state === 'ended' ? await freeMegabytes(root).catch(() => laterStartMb) : laterStartMb;
  if (freeMB < laterStartMb) {
    const words = `The embedded database in ${root} stopped: its disk is full (${freeMB} MB free). Free some space, then start again.`;
    return new DatabaseStartError(words, { cause: error });
  }
  if (state === 'ended' && message === 'SIGKILL') {
    const words = `The embedded database in ${root} was killed (SIGKILL), usually because memory ran out. Add memory, then start again.`;
    return new DatabaseStartError(words, { cause: error });
  }
  if (state === 'ended' && message === 'SIGILL') {
    const words =
      "The embedded database can't run on this processor: it has no AVX (a virtual machine may hide it: choose the CPU type `host`). " +
      'Set MONGODB_URI to a MongoDB server on another machine.';
    return new DatabaseStartError(words, { cause: error });
  }
  if (state === 'ended') {
    return new DatabaseStartError(
      `The embedded database in ${root} can't be opened: its files are damaged (the engine ended with ${message}). ` +
        `Move ${join(root, 'data')} away and restore a backup: rolelink restore FILE.`,
      { cause: error },
    );
  }
  // The engine's own lock also notices a process in another container with the same directory.
  if (message.includes('DBPathInUse')) {
    const words = `Another process, perhaps in another container, is using ${root}: stop it, or choose another DATA_DIR.`;
    return new DatabaseStartError(words, { cause: error });
  }
  const words = diskFault(root, error) ?? `The embedded database in ${root} can't be opened: ${message}`;
  return new DatabaseStartError(words, { cause: error });
}
