import { type AnyBulkWriteOperation, trusted } from 'mongoose';
import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { Gathered } from '../../lib/gathered.js';
import { logger } from '../../lib/logger.js';
import { dayMs, hourMs } from '../../lib/time.js';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';

/** What is counted in each guild (API-61). */
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

/** How many days a guild's series goes back, today included (API-61). */
const daysShown = 30;
const daysKept = 31;

/** What happened in a guild on one day in UTC, `date` as `YYYY-MM-DD`. */
export type DayInSeries = { date: string } & Record<Fact, number>;

/**
 * Takes the place of a guild's id for the whole platform, which counts all proofs, including those made in no guild.
 */
const platform = 'platform';

/**
 * Counts that something happened in a guild. For `null`, no guild, only the platform's proofs are counted. Called once
 * the fact is stored. Never throws: the fact stands whether it is counted or not.
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
    logger.error({ err, guildId, fact }, 'fact not counted');
  }
}

/** How many facts one command counts. */
const countsPerWrite = 100;

const counting = new Gathered<AnyBulkWriteOperation<DailyCounter>, undefined>(
  async (counts) => {
    await DailyCounters.acrossGuilds.bulkWrite([...counts], { ordered: false });
    return [];
  },
  { most: countsPerWrite, atOnce: 4 },
);

/** The counters of a guild for the days of its series. Days on which nothing happened are missing. */
export function readCounters(guildId: string, now: Date): Promise<DailyCounter[]> {
  const since = { guildId, day: trusted({ $gte: firstDay(now) }) };
  return DailyCounters.find(since, { sort: { day: 1 }, hint: { guildId: 1, day: 1 } });
}

/** The counters of the whole platform, which hold its proofs. */
export function readPlatformCounters(now: Date): Promise<DailyCounter[]> {
  return readCounters(platform, now);
}

/** How often something happened since `since`, rounded down to the hour. */
export function countSince(counters: readonly DailyCounter[], fact: Fact, since: Date): number {
  const hours = counters.flatMap(({ day, hours }) =>
    Object.entries(hours).map(([hour, counts]) => ({ endsAt: Date.parse(day) + (Number(hour) + 1) * hourMs, counts })),
  );
  return sum(hours.filter(({ endsAt }) => endsAt > since.getTime()).map(({ counts }) => counts[fact] ?? 0));
}

/** The last 30 days, oldest first and today last, including days on which nothing happened. */
export function seriesOf(counters: readonly DailyCounter[], now: Date): DayInSeries[] {
  return Array.from({ length: daysShown }, (_, index) => {
    const date = dayOf(new Date(now.getTime() - (daysShown - 1 - index) * dayMs));
    const hours = Object.values(counters.find(({ day }) => day === date)?.hours ?? {});
    const totals = facts.map((fact) => [fact, sum(hours.map((counts) => counts[fact] ?? 0))]);
    return { date, ...(Object.fromEntries(totals) as Record<Fact, number>) };
  });
}

/** Removes counters that no overview shows any more. */
export async function purgeCounters(now: Date): Promise<void> {
  const oldest = dayOf(new Date(now.getTime() - daysKept * dayMs));
  await DailyCounters.acrossGuilds.deleteMany({ day: trusted({ $lt: oldest }) });
}

const firstDay = (now: Date): string => dayOf(new Date(now.getTime() - (daysShown - 1) * dayMs));

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
