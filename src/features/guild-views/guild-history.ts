import { z } from 'zod';
import { dayOf, readCounters, seriesOf } from '../../core/counters/daily-counters.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { Mappings, oldestFirst } from '../mappings/mapping-model.js';
import { readLevel } from './guild-levels.js';

/** A history's lengths in days (API-85). */
export const historyLengths = ['7', '30', '90'] as const;

const count = z.int().nonnegative();
const read = count.nullable();

/** A guild's figures, day by day (API-85). */
export const historyView = z
  .strictObject({
    since: z.iso.date().describe('The first of these days with a reading of the guild; today for a new guild.'),
    series: z
      .array(
        z.strictObject({
          date: z.iso.date(),
          linked: read.describe('Linked members at the last reading of the day; null without a reading.'),
          verified: count,
          verificationFailed: count,
          unlinked: count,
          synced: count.describe('Syncs that changed roles or nickname of a member.'),
          syncFailed: count.describe('Syncs that failed.'),
          rankAgeSeconds: read.describe(
            'The highest age of ranks in the readings of the day; null while nobody was read.',
          ),
          rankTargetSeconds: read.describe('How old ranks might get by the plan of that day.'),
        }),
      )
      .min(Number(historyLengths[0]))
      .max(Number(historyLengths[2]))
      .describe('In UTC, oldest first; today is the last.'),
    mappings: z
      .array(
        z.strictObject({
          mappingId: z.string(),
          name: z.string().nullable(),
          roleIds: z.array(z.string()),
          holding: z
            .array(read)
            .describe('For each of the days: matching people with all of its roles; null where they were not counted.'),
        }),
      )
      .describe('The mappings of today that were counted in these days, most holders first.'),
  })
  .meta({ id: 'GuildHistory' });
type History = z.input<typeof historyView>;

/** A guild's last `length` days. Today is read now. */
export async function readHistory(guild: Guild, length: number): Promise<History> {
  const guildId = guild._id;
  const now = clock.now();
  const [counters, mappings] = await Promise.all([
    readCounters(guildId, now, length),
    Mappings.find({ guildId }, { hint: oldestFirst }),
  ]);
  const { rankAge, ...level } = await readLevel(guild, mappings);
  const byDay = new Map(counters.map((counter) => [counter.day, counter]));
  const today = dayOf(now);
  const levelOf = (date: string) => (date === today ? level : byDay.get(date)?.level);
  const ageOf = (date: string): number | null => {
    const stored = byDay.get(date)?.rankAge ?? null;
    return date === today && rankAge !== null ? Math.max(stored ?? 0, rankAge) : stored;
  };
  const series = seriesOf(counters, now, length).map((day) => ({
    ...day,
    linked: levelOf(day.date)?.linked ?? null,
    rankAgeSeconds: ageOf(day.date),
    rankTargetSeconds: levelOf(day.date)?.rankTarget ?? null,
  }));
  const held = mappings.map(({ _id: mappingId, name = null, roleIds }) => ({
    ...{ mappingId, name, roleIds },
    holding: series.map(({ date }) => levelOf(date)?.holding?.[mappingId] ?? null),
  }));
  return {
    since: series.find(({ linked }) => linked !== null)?.date ?? today,
    series,
    mappings: held.filter(({ holding }) => holding.some((value) => value !== null)).sort(mostFirst),
  };
}

type Held = History['mappings'][number];

const latest = ({ holding }: Held): number => holding.findLast((value) => value !== null) ?? 0;
const mostFirst = (one: Held, other: Held): number => latest(other) - latest(one);
