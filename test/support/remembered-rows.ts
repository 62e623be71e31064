import mongoose from 'mongoose';

interface RememberedRow {
  _id: string;
  kind: string;
  value?: Record<string, unknown>;
}

/** A kind's stored things that match: a guild's or a person's. */
export const remembered = (
  kind: string,
  filter: Partial<Record<'guildId' | 'person', string>>,
): Promise<RememberedRow[]> =>
  mongoose.connection
    .collection<RememberedRow>('remembered')
    .find({ ...filter, kind })
    .toArray();
