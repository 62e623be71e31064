import { z } from 'zod';
import { countSince, type DailyCounter, readCounters, seriesOf } from '../../core/counters/daily-counters.js';
import { clock } from '../../lib/clock.js';
import { timestamp } from '../../lib/fields.js';
import { dayMs } from '../../lib/time.js';
import { openResync } from '../sync/resync/resync-service.js';
import { countGuild } from './guild-counts.js';
import { syncActivity } from './sync-activity.js';

const count = z.int().nonnegative();

/**
 * How a guild is doing (SPEC §4). 24 hours and 7 days slide, to the hour: the hour in which they begin counts whole.
 */
export const overviewView = z
  .strictObject({
    members: z.strictObject({
      linked: count.describe('Members who are linked now, those who left the server included.'),
      unlinked: count.describe('Members who were linked once and are not now.'),
      joinedNotLinked: count.describe('People in the server whom the bot saw join and who were never linked.'),
    }),
    verification: z.strictObject({
      completed24h: count,
      completed7d: count,
      failed7d: count.describe('Proofs that failed, for whatever reason.'),
      successRate: z.number().min(0).max(1).nullable().describe('Completed of all proofs of 7 days; null for none.'),
    }),
    sync: z.strictObject({
      lastRun: timestamp.nullable().describe('When a sync last changed something or failed, within 30 days.'),
      running: z.boolean().describe('Whether a resync of the guild is under way.'),
      changed24h: count.describe('Syncs that changed roles or nickname of a member.'),
      failed24h: count.describe('Syncs that failed and are tried again.'),
    }),
    counts: z.strictObject({ groups: count, mappings: count }),
    series: z
      .array(
        z.strictObject({
          date: z.iso.date(),
          verified: count,
          verificationFailed: count,
          unlinked: count,
          synced: count,
          syncFailed: count,
        }),
      )
      .length(30)
      .describe('The last 30 days in UTC, oldest first; today is the last.'),
  })
  .meta({ id: 'GuildOverview' });

/** The overview of a guild as of now, from its counters and the numbers of what it has. */
export async function readOverview(guildId: string): Promise<z.input<typeof overviewView>> {
  const now = clock.now();
  const [{ members, groups, mappings }, counters, resync] = await Promise.all([
    countGuild(guildId),
    readCounters(guildId, now),
    openResync(guildId),
  ]);
  const { lastRun, changed24h, failed24h } = syncActivity(counters, now);
  return {
    members,
    verification: verificationOf(counters, now),
    sync: { lastRun: lastRun?.toISOString() ?? null, running: resync !== null, changed24h, failed24h },
    counts: { groups, mappings },
    series: seriesOf(counters, now),
  };
}

function verificationOf(counters: readonly DailyCounter[], now: Date) {
  const dayAgo = new Date(now.getTime() - dayMs);
  const weekAgo = new Date(now.getTime() - 7 * dayMs);
  const completed7d = countSince(counters, 'verified', weekAgo);
  const failed7d = countSince(counters, 'verificationFailed', weekAgo);
  const tried = completed7d + failed7d;
  return {
    completed24h: countSince(counters, 'verified', dayAgo),
    completed7d,
    failed7d,
    successRate: tried === 0 ? null : completed7d / tried,
  };
}
