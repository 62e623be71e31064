import { rm } from 'node:fs/promises';

/** Removes `folder`, also while a just ended process's engine still writes into it for a moment. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
