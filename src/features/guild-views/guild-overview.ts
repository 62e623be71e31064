import { z } from 'zod';
import { countSince, type DailyCounter, readCounters, seriesOf } from '../../core/counters/daily-counters.js';
import { LinkedGroups } from '../../core/groups/group-model.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { promptnessOf, promptnessView } from '../../core/guilds/promptness.js';
import { clock } from '../../lib/clock.js';
import { timestamp } from '../../lib/fields.js';
import { dayMs } from '../../lib/time.js';
import { Mappings } from '../mappings/mapping-model.js';
import { Members } from '../members/member-model.js';
import { rankAgeView, readRankAge } from '../rank-watch/rank-age.js';
import { openResync } from '../sync/resync/resync-service.js';

const count = z.int().nonnegative();

/** A guild's numbers (API-61). The 24 hours and 7 days are sliding, by the hour: their first hour counts whole. */
export const overviewView = z
  .strictObject({
    members: z.strictObject({
      linked: count.describe('Members with a link now, including those that left the server.'),
      unlinked: count.describe('Former linked members.'),
      joinedNotLinked: count.describe(
        'People in the server that joined while the bot was there and were never linked.',
      ),
    }),
    verification: z.strictObject({
      completed24h: count,
      completed7d: count,
      failed7d: count.describe('Failed proofs, for any reason.'),
      successRate: z.number().min(0).max(1).nullable().describe('Completed of all proofs of 7 days; null for none.'),
    }),
    sync: z.strictObject({
      lastRun: timestamp.nullable().describe('When a sync last changed something or failed, within 30 days.'),
      running: z.boolean().describe('Whether a resync of the guild is under way.'),
      jobId: z.string().nullable().describe('Of that resync; of two, the whole one.'),
      changed24h: count.describe('Syncs that changed roles or nickname of a member.'),
      failed24h: count.describe('Syncs that failed and are tried again.'),
    }),
    ranks: rankAgeView,
    promptness: promptnessView,
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

export async function readOverview(guild: Guild): Promise<z.input<typeof overviewView>> {
  const guildId = guild._id;
  const now = clock.now();
  const [counted, counters, resync, ranks] = await Promise.all([
    countGuild(guildId),
    readCounters(guildId, now),
    openResync(guildId),
    readRankAge(guild),
  ]);
  return {
    ...counted,
    verification: verificationOf(counters, now),
    sync: { ...activityOf(counters, now), running: resync !== null, jobId: resync?._id ?? null },
    ranks,
    promptness: promptnessOf(guildId),
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

function activityOf(counters: readonly DailyCounter[], now: Date) {
  const since = new Date(now.getTime() - dayMs);
  return {
    lastRun: counters.findLast(({ lastSyncAt }) => lastSyncAt !== undefined)?.lastSyncAt?.toISOString() ?? null,
    changed24h: countSince(counters, 'synced', since),
    failed24h: countSince(counters, 'syncFailed', since),
  };
}

/**
 * A guild's current counts. They come from the indexes, since a crash between two writes would falsify stored numbers
 * for good. 100,000 members take some 40 ms.
 */
async function countGuild(guildId: string) {
  const [linked, unlinked, joinedNotLinked, groups, mappings] = await Promise.all([
    // Includes members that left the server: their link stays (SYNC-48).
    Members.count({ guildId, state: 'linked' }),
    Members.count({ guildId, state: 'unlinked' }),
    Members.count({ guildId, state: 'joined', present: true }),
    LinkedGroups.count({ guildId }),
    Mappings.count({ guildId }),
  ]);
  return { members: { linked, unlinked, joinedNotLinked }, counts: { groups, mappings } };
}
