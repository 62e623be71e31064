import { rm } from 'node:fs/promises';

/** Removes `folder`, also while the engine of a process that just ended still writes into it for a moment. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
