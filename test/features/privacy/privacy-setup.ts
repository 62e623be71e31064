import mongoose from 'mongoose';
import { goOnErasing } from '../../../src/features/privacy/erasure.js';
import { openErasures } from '../../../src/features/privacy/erasure-store.js';
import { runDue } from '../../support/background.js';
import { eventually } from '../../support/build.js';

export const eraseNow = (): Promise<void> => goOnErasing(new AbortController().signal);

/** Runs due syncs and the job until no erasure is open. */
export async function eraseAll(): Promise<void> {
  await eventually(async () => {
    await runDue();
    await eraseNow();
    return (await openErasures()).length === 0;
  }, 'the end of the erasure');
}

/** Collections with data that expires within the hour: leases and rate limits. */
const passing = new Set(['leases', 'rate_limits', 'agendaJobs']);

/** Every stored document, as text, that holds any of these texts. */
export async function everythingNaming(...texts: string[]): Promise<string[]> {
  const collections = (await mongoose.connection.db?.collections()) ?? [];
  const found = await Promise.all(
    collections
      .filter(({ collectionName }) => !passing.has(collectionName))
      .map(async (collection) => {
        const all = (await collection.find().toArray()).map((document) => JSON.stringify(document));
        return all
          .filter((text) => texts.some((wanted) => text.includes(wanted)))
          .map((text) => `${collection.collectionName}: ${text}`);
      }),
  );
  return found.flat();
}
