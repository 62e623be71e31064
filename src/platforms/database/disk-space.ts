import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { logger } from '../../lib/logger.js';
import { DatabaseStartError } from '../../lib/start-error.js';

const megabyte = 1_000_000;

/** What the engine's files, its journal and its patched binaries take, with room to work. */
const firstStartMb = 500;
/** The engine ends the process when it can't write its journal, whose files have up to 100 MB. */
export const laterStartMb = 100;

/**
 * Makes sure that the disk has room for the embedded database in `root`, which need not exist yet: 500 MB for a first
 * start, 100 MB later, where less than 500 MB is a warning (ENV-7).
 * @throws DatabaseStartError naming the folder, what is free and what is needed.
 */
export async function requireDiskSpace(root: string): Promise<void> {
  const freeMB = await freeMegabytes(root);
  const neededMb = existsSync(join(root, 'data')) ? laterStartMb : firstStartMb;
  if (freeMB < neededMb) {
    throw new DatabaseStartError(
      `The embedded database needs ${neededMb} MB of free disk to start, and the disk of ${root} has ${freeMB} MB. ` +
        'Make room, or set DATA_DIR to a folder on another disk.',
    );
  }
  if (freeMB < firstStartMb) logger.warn({ directory: root, freeMB }, 'the disk fills up: make room');
}

/** What is free on the disk of `folder`, which need not exist yet. */
export async function freeMegabytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(nearestFolder(resolve(folder)));
  return Math.floor((bavail * bsize) / megabyte);
}

function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path));
}
