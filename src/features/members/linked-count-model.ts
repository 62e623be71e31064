import { z } from 'zod';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';

/** A member added to their guild's count, or removed from it. */
const takenMember = z.strictObject({
  chatUserId: z.string(),
  /** The change of theirs that was counted. */
  uncounted: z.string(),
  /** Whether the count includes them by it. */
  counted: z.boolean(),
});

/** How many members of a guild are linked, without having to count them. */
const linkedCountFields = z.strictObject({
  guildId: z.string(),
  /** Members with `counted`, and `taken` as it says. */
  linked: z.int(),
  /**
   * The members of a step in progress or interrupted: whether the count includes them, whatever their documents say.
   */
  taken: z.array(takenMember),
  /** Rises with every write, so that a reader sees whether something was counted while it read. */
  steps: z.int(),
  /** Of the lease under which was counted last. */
  fence: z.int(),
});
export type LinkedCount = z.output<typeof linkedCountFields>;

const schema = schemaOf('linked_counts', linkedCountFields);
// The one of a guild, and those of a page of guilds.
schema.index({ guildId: 1 }, { unique: true });
// Those that were broken off.
schema.index({ 'taken.chatUserId': 1 }, { partialFilterExpression: { 'taken.chatUserId': { $exists: true } } });

export const LinkedCounts = new GuildModel<LinkedCount>('LinkedCount', schema);
