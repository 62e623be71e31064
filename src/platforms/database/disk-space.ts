import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { logger } from '../../lib/logger.js';
import { DatabaseStartError } from '../../lib/start-error.js';

const megabyte = 1_000_000;

/** The engine's size: files, journal and patched binaries, plus working space. */
const firstStartMb = 500;
/** The engine ends the process if it can't write its journal, which has files up to 100 MB. */
export const laterStartMb = 100;

/**
 * Requires disk space for the embedded database in `root`, which need not exist yet. A first start needs 500 MB, a
 * later one 100 MB with a warning below 500 MB (ENV-7). @throws DatabaseStartError with the folder, the free space and
 * the required space.
 */
export async function requireDiskSpace(root: string): Promise<void> {
  const freeMB = await freeMegabytes(root);
  const neededMb = neededMegabytes(root);
  if (freeMB < neededMb) {
    throw new DatabaseStartError(
      `The embedded database needs ${neededMb} MB of free disk to start, and the disk of ${root} has ${freeMB} MB. ` +
        'Free some space, or set DATA_DIR to a folder on another disk.',
    );
  }
  if (freeMB < firstStartMb) logger.warn({ directory: root, freeMB }, 'disk is nearly full: free some space');
}

/** The free space that a start with the embedded database in `root` needs. */
export const neededMegabytes = (root: string): number => (existsSync(join(root, 'data')) ? laterStartMb : firstStartMb);

/** The free space on `folder`'s disk, which need not exist yet. */
export async function freeMegabytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(nearestFolder(resolve(folder)));
  return Math.floor((bavail * bsize) / megabyte);
}

function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path));
}
