import { trusted } from 'mongoose';
import { hourMs } from '../../lib/time.js';
import { DailyCounters, dayOf, type GuildLevel } from './daily-counters.js';

/** A guild's reading for its history; `rankAge` in seconds, null before the first reading, and where no rule names a group. */
export interface GuildReading extends Omit<GuildLevel, 'at'> {
  guildId: string;
  rankAge: number | null;
}

/** The longest time between a guild's readings on a day. */
const readEveryMs = 6 * hourMs;

/** The guilds that were read recently enough today. */
export async function guildsWithLevel(now: Date): Promise<Set<string>> {
  const since = trusted({ $gt: new Date(now.getTime() - readEveryMs) });
  const found = await DailyCounters.acrossGuilds
    .find({ day: dayOf(now), 'level.at': since }, { guildId: 1, _id: 0 })
    .hint({ day: 1 })
    .lean();
  return new Set(found.map(({ guildId }) => guildId));
}

/** Stores readings at `now` in one command. A day's last one replaces those before; the highest age stays. */
export async function storeLevels(readings: readonly GuildReading[], now: Date): Promise<void> {
  const writes = readings.map(({ guildId, rankAge, ...level }) => ({
    updateOne: {
      filter: { guildId, day: dayOf(now) },
      update: { $set: { level: { at: now, ...level } }, ...(rankAge !== null && { $max: { rankAge } }) },
      upsert: true,
    },
  }));
  await DailyCounters.acrossGuilds.bulkWrite(writes, { ordered: false });
}
