import { type AnyBulkWriteOperation, trusted } from 'mongoose';
import { z } from 'zod';
import { Batcher } from '../../lib/batcher.js';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { dayMs, hourMs } from '../../lib/time.js';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';

/** The facts counted per guild (API-61). */
export const facts = ['verified', 'verificationFailed', 'unlinked', 'synced', 'syncFailed'] as const;
export type Fact = (typeof facts)[number];

/** A guild's state at a moment in a day (API-85). */
const guildLevel = z.strictObject({
  at: z.date(),
  linked: z.int(),
  /** The goal for the age of ranks, in seconds. */
  rankTarget: z.int(),
  /** Each counted mapping's holders by its id; absent without any. */
  holding: z.custom<Readonly<Record<string, number>>>().exactOptional(),
});
export type GuildLevel = z.output<typeof guildLevel>;

const dailyCounterFields = z.strictObject({
  guildId: z.string(),
  /** In UTC, `YYYY-MM-DD`. */
  day: z.string(),
  /** By the UTC hour, 0 to 23. Hours and facts with a count of 0 are omitted. */
  hours: z.custom<Readonly<Record<string, Partial<Record<Fact, number>>>>>().exactOptional(),
  lastSyncAt: z.date().exactOptional(),
  /** The day's last reading. */
  level: guildLevel.exactOptional(),
  /** The highest age of ranks in the day's readings, in seconds. */
  rankAge: z.int().exactOptional(),
});
export type DailyCounter = z.output<typeof dailyCounterFields>;

const schema = schemaOf('daily_counters', dailyCounterFields);
// One document per guild and day, even if facts race to create it; a guild's last days.
schema.index({ guildId: 1, day: 1 }, { unique: true });
// purgeCounters: past days; the guilds without a reading today.
schema.index({ day: 1 });

export const DailyCounters = new GuildModel<DailyCounter>('DailyCounter', schema);

/** The overview's series in days, including today (API-61). */
const daysShown = 30;
/** The longest history in days, and one day more (API-85). */
const daysKept = 91;

/** A guild's counts on one UTC day, with `date` as `YYYY-MM-DD`. */
export type DayInSeries = { date: string } & Record<Fact, number>;

/** Replaces the guild id in platform-wide counters, which count all proofs, including those outside guilds. */
const platform = 'platform';

/**
 * Counts a stored fact in a guild. For `null` (no guild) only the platform's proofs are counted. Never throws: the fact
 * is valid whether it is counted or not.
 */
export async function countFact(guildId: string | null, fact: Fact, now: Date = clock.now()): Promise<void> {
  const isProof = fact === 'verified' || fact === 'verificationFailed';
  const isSync = fact === 'synced' || fact === 'syncFailed';
  const places = [guildId, isProof ? platform : null].filter((place) => place !== null);
  const update = {
    $inc: { [`hours.${now.getUTCHours()}.${fact}`]: 1 },
    ...(isSync && { $max: { lastSyncAt: now } }),
  };
  const counts = places.map((place) => ({
    updateOne: { filter: { guildId: place, day: dayOf(now) }, update, upsert: true },
  }));
  try {
    await Promise.all(counts.map((count) => counting.add(count)));
  } catch (err) {
    logger.error({ err, guildId, fact }, 'daily counter not updated');
  }
}

const countsPerWrite = 100;

const counting = new Batcher<AnyBulkWriteOperation<DailyCounter>, undefined>(
  async (counts) => {
    await DailyCounters.acrossGuilds.collection.bulkWrite([...counts] as never, { ordered: false });
    return [];
  },
  { most: countsPerWrite, atOnce: 4 },
);

/** A guild's counters for the last `days`, including today. Days without facts and readings are missing. */
export function readCounters(guildId: string, now: Date, days = daysShown): Promise<DailyCounter[]> {
  const since = { guildId, day: trusted({ $gte: dayOf(new Date(now.getTime() - (days - 1) * dayMs)) }) };
  return DailyCounters.find(since, { sort: { day: 1 }, hint: { guildId: 1, day: 1 } });
}

/** The platform-wide counters, which contain only proofs. */
export function readPlatformCounters(now: Date): Promise<DailyCounter[]> {
  return readCounters(platform, now);
}

/** How often something happened since `since`, rounded down to the hour. */
export function countSince(counters: readonly DailyCounter[], fact: Fact, since: Date): number {
  const hours = counters.flatMap(({ day, hours = {} }) =>
    Object.entries(hours).map(([hour, counts]) => ({ endsAt: Date.parse(day) + (Number(hour) + 1) * hourMs, counts })),
  );
  return sum(hours.filter(({ endsAt }) => endsAt > since.getTime()).map(({ counts }) => counts[fact] ?? 0));
}

/** The last `days`, oldest first and today last, including days without facts. */
export function seriesOf(counters: readonly DailyCounter[], now: Date, days = daysShown): DayInSeries[] {
  return Array.from({ length: days }, (_, index) => {
    const date = dayOf(new Date(now.getTime() - (days - 1 - index) * dayMs));
    const hours = Object.values(counters.find(({ day }) => day === date)?.hours ?? {});
    const totals = facts.map((fact) => [fact, sum(hours.map((counts) => counts[fact] ?? 0))]);
    return { date, ...(Object.fromEntries(totals) as Record<Fact, number>) };
  });
}

/** Removes counters too old for any overview or history. */
export async function purgeCounters(now: Date): Promise<void> {
  const oldest = dayOf(new Date(now.getTime() - daysKept * dayMs));
  await DailyCounters.acrossGuilds.deleteMany({ day: trusted({ $lt: oldest }) });
}

/** A time's UTC day. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
