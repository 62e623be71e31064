import mongoose from 'mongoose';

interface RememberedRow {
  _id: string;
  kind: string;
  value?: Record<string, unknown>;
}

/** The stored things of a kind that match: of a guild or a person. */
export const remembered = (
  kind: string,
  filter: Partial<Record<'guildId' | 'person', string>>,
): Promise<RememberedRow[]> =>
  mongoose.connection
    .collection<RememberedRow>('remembered')
    .find({ ...filter, kind })
    .toArray();
