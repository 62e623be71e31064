import { Schema } from 'mongoose';
import { GuildModel } from '../../platforms/database/guild-model.js';

/** What is counted in each guild (SPEC §4 overview). */
export const facts = ['verified', 'verificationFailed', 'unlinked', 'synced', 'syncFailed'] as const;
export type Fact = (typeof facts)[number];

/** What happened in a guild on one day, by the hour. */
export interface DailyCounter {
  guildId: string;
  /** In UTC, `YYYY-MM-DD`. */
  day: string;
  /** By the hour of the day in UTC, 0 to 23. Hours and facts with a count of 0 are left out. */
  hours: Readonly<Record<string, Partial<Record<Fact, number>>>>;
  /** The last sync that was counted on this day. */
  lastSyncAt?: Date;
}

const schema = new Schema<DailyCounter>(
  {
    guildId: { type: String, required: true },
    day: { type: String, required: true },
    hours: { type: Schema.Types.Mixed, required: true },
    lastSyncAt: Date,
  },
  { collection: 'daily_counters', versionKey: false },
);
// One document per guild and day, also when facts race to create it; a guild's last 30 days.
schema.index({ guildId: 1, day: 1 }, { unique: true });
// purgeCounters: the days that are over.
schema.index({ day: 1 });

export const DailyCounters = new GuildModel<DailyCounter>('DailyCounter', schema);
