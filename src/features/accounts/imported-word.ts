import { type QueryFilter, trusted } from 'mongoose';
import type { ImportSource, StoredAccount } from './account-model.js';

/** One import, as its words name it. */
export interface ImportRun {
  /** `pim_…` */
  importId: string;
  importedFrom: ImportSource;
  /** From its beginning to its end, which is missing while it runs. */
  from: Date;
  to?: Date | undefined;
}

/** The words that an import gave. Older versions' words name no import: they go by its source and its time. */
export const givenBy = ({ importId, importedFrom, from, to }: ImportRun): QueryFilter<StoredAccount> => ({
  method: 'imported',
  $or: [
    { importId },
    {
      ...{ importId: trusted({ $exists: false }), importedFrom },
      linkedAt: trusted({ $gte: from, ...(to && { $lte: to }) }),
    },
  ],
});

/** The same about one word that was read. Pure. */
export function isGivenBy(word: StoredAccount, { importId, importedFrom, from }: ImportRun): boolean {
  if (word.method !== 'imported') return false;
  if (word.importId !== undefined) return word.importId === importId;
  return word.importedFrom === importedFrom && word.linkedAt !== undefined && word.linkedAt >= from;
}
