import { type Model, type QueryFilter, trusted } from 'mongoose';

/** How many documents a command changes: some milliseconds of work, far below a command's time limit. */
const documentsPerStep = 1_000;

/**
 * Processes all matching documents, a thousand ids at a time. A single command on a million would exceed its time limit
 * and make no progress on a retry. `work` must make its documents no longer match. `hint`: the index to use, if several
 * could serve.
 */
export async function inSteps<T>(
  model: Model<T>,
  filter: QueryFilter<T>,
  hint: Record<string, 1 | -1> | string,
  work: (filter: QueryFilter<T>) => Promise<unknown>,
): Promise<void> {
  for (;;) {
    const found = await model.find(filter, { _id: 1 }).hint(hint).limit(documentsPerStep).lean<{ _id: unknown }[]>();
    if (found.length === 0) return;
    await work({ ...filter, _id: trusted({ $in: found.map(({ _id }) => _id) }) });
    if (found.length < documentsPerStep) return;
  }
}

export async function removeInSteps<T>(
  model: Model<T>,
  filter: QueryFilter<T>,
  hint: Record<string, 1 | -1> | string,
): Promise<void> {
  await inSteps(model, filter, hint, (some) => model.deleteMany(some).hint({ _id: 1 }).exec());
}
