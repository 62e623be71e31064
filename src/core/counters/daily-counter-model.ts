import { z } from 'zod';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';

/** What is counted in each guild (SPEC §4 overview). */
export const facts = ['verified', 'verificationFailed', 'unlinked', 'synced', 'syncFailed'] as const;
export type Fact = (typeof facts)[number];

/** What happened in a guild on one day, by the hour. */
const dailyCounterFields = z.strictObject({
  guildId: z.string(),
  /** In UTC, `YYYY-MM-DD`. */
  day: z.string(),
  /** By the hour of the day in UTC, 0 to 23. Hours and facts with a count of 0 are left out. */
  hours: z.custom<Readonly<Record<string, Partial<Record<Fact, number>>>>>(),
  /** The last sync that was counted on this day. */
  lastSyncAt: z.date().exactOptional(),
});
export type DailyCounter = z.output<typeof dailyCounterFields>;

const schema = schemaOf('daily_counters', dailyCounterFields);
// One document a guild and day, also when facts race to make it; a guild's last 30 days.
schema.index({ guildId: 1, day: 1 }, { unique: true });
// purgeCounters: the days that are over.
schema.index({ day: 1 });

export const DailyCounters = new GuildModel<DailyCounter>('DailyCounter', schema);
