import { type PipelineStage, trusted } from 'mongoose';
import { z } from 'zod';
import { config } from '../../config/config.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import type { HealthFinding } from '../../core/guilds/health-issue.js';
import { clock } from '../../lib/clock.js';
import { minuteMs, secondMs } from '../../lib/time.js';
import { groupOf } from '../members/held-ranks.js';
import { hasKey, keylessFactor, rankTargetMs, targetPlan } from './rank-target.js';
import { standingStillMs } from './watch-loops.js';
import { type WatchedAccount, WatchedAccounts, type WatchedGroup, WatchedGroups } from './watched-models.js';

/** The share of people whose rank age the figure covers. */
const share = 0.95;
/** A target missed by this factor is late for other reasons than waiting. */
const missedBy = 3;
const sampled = 1_000;

const rankAdvice = z.enum(['add_roblox_key', 'higher_plan', 'roblox_limit']);
type RankAdvice = z.output<typeof rankAdvice>;

const seconds = z.int().nonnegative();

/** How old a guild's members' ranks are (API-61). */
export const rankAgeView = z
  .strictObject({
    ageSeconds: seconds
      .nullable()
      .describe(
        'The age in seconds of the ranks of 95 % of the linked members, at most; null before the first reading, and where no rule names a group.',
      ),
    targetSeconds: seconds.describe('How old they may get by the plan; without an Open Cloud key 30 times that.'),
    advice: rankAdvice.nullable().describe('The way to make them fresher; null: this guild and its host lack nothing.'),
  })
  .meta({ id: 'RankAge' });
export type RankAge = z.output<typeof rankAgeView>;

/** The stage that adds to other rows a guild's watched people, as `count`; no row for none. */
export const withWatchedCount = (guildId: string): PipelineStage.UnionWith => ({
  $unionWith: {
    coll: WatchedAccounts.collection.name,
    pipeline: [{ $match: { guildIds: guildId } }, { $count: 'count' }],
  },
});

/**
 * The age of the ranks in use for a guild's members, and the advice to make them fresher. `watched`: how many watched
 * people it has, if just read.
 */
export async function readRankAge(
  { _id: guildId, plan }: Pick<Guild, '_id' | 'plan'>,
  watched?: number,
): Promise<RankAge> {
  const theirs = { guildIds: guildId };
  const people = watched ?? (await WatchedAccounts.countDocuments(theirs));
  const found = await WatchedAccounts.find(theirs)
    .sort({ seenAt: 1 })
    .skip(Math.floor(people * (1 - share)))
    .limit(1)
    .lean<WatchedAccount[]>();
  const pollTimes = await pollTimesOf(found);
  const ageMs = found[0] === undefined ? null : ageOf(found[0], pollTimes);
  const targetMs = rankTargetMs(plan);
  const age = ageMs === null ? null : Math.round(ageMs / secondMs);
  return { ageSeconds: age, targetSeconds: targetMs / secondMs, advice: adviceFor(plan, ageMs, targetMs) };
}

function adviceFor(plan: Guild['plan'], ageMs: number | null, targetMs: number): RankAdvice | null {
  if (!hasKey()) return 'add_roblox_key';
  if (ageMs !== null && ageMs > missedBy * targetMs) return 'roblox_limit';
  return config().stripe !== undefined && targetPlan(plan) !== 'enterprise' ? 'higher_plan' : null;
}

/** The health issue for ranks that have long been older than their target. */
export function rankIssue({ ageSeconds, targetSeconds }: RankAge): HealthFinding[] {
  const still = standingStillMs();
  if (still !== null) return [{ code: 'ranks_stale', detail: stillDetail(still) }];
  if (ageSeconds === null || ageSeconds <= missedBy * targetSeconds) return [];
  const detail = hasKey()
    ? 'Ranks are looked at more seldom than the plan promises: Roblox does not answer, or allows this bot too few calls for all of its servers. Roles follow later; /update brings one member in step now.'
    : `Ranks are looked at more seldom than every ${Math.round(targetSeconds / 60)} minutes: without an Open Cloud key Roblox is asked gently, ${keylessFactor} times as seldom. The host of the bot can add one (ROBLOX_API_KEY).`;
  return [{ code: 'ranks_stale', detail }];
}

const stillDetail = (ms: number): string =>
  `The watch of ranks has stood still for ${Math.round(ms / minuteMs)} minutes. Roles follow later; /update brings one member in step now. The host of the bot finds the reason in its log.`;

/** Some people's rank ages in seconds, by their best guild's plan: at most a thousand, taken at random. */
export async function sampleRankAges(): Promise<Map<string, number[]>> {
  const some = await WatchedAccounts.aggregate<WatchedAccount>([
    { $sample: { size: sampled } },
    { $match: { held: { $ne: [] } } },
  ]);
  const pollTimes = await pollTimesOf(some);
  const ages = new Map<string, number[]>();
  for (const account of some) {
    const age = ageOf(account, pollTimes);
    if (age !== null) ages.set(account.plan, [...(ages.get(account.plan) ?? []), age / secondMs]);
  }
  return ages;
}

/** When the counts in these people's groups were last polled. */
async function pollTimesOf(accounts: readonly WatchedAccount[]): Promise<ReadonlyMap<string, number>> {
  const groupIds = new Set(accounts.flatMap(({ glanced, held }) => (glanced ? held.map(groupOf) : [])));
  if (groupIds.size === 0) return new Map();
  const found = await WatchedGroups.find({ _id: trusted({ $in: [...groupIds] }) }, { seenAt: 1 }).lean<
    WatchedGroup[]
  >();
  return new Map(found.map(({ _id, seenAt }) => [_id, seenAt?.getTime() ?? 0]));
}

/**
 * Milliseconds since the person was read, or since all their groups' counts were polled; null before the first time.
 */
function ageOf({ glanced, held, seenAt }: WatchedAccount, pollTimes: ReadonlyMap<string, number>): number | null {
  if (seenAt === undefined) return null;
  const polls = glanced ? held.map((text) => pollTimes.get(groupOf(text)) ?? 0) : [];
  const polledAt = polls.length === 0 ? 0 : Math.min(...polls);
  return Math.max(0, clock.epochMs() - Math.max(seenAt.getTime(), polledAt));
}
