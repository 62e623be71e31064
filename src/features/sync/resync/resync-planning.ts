import PQueue from 'p-queue';
import { clock } from '../../../lib/clock.js';

import { type BlockedMember, noteBlocked, noteUnblocked } from '../../members/blocked-syncs.js';
import { noteUnchanged } from '../../members/noted-syncs.js';
import { completeSyncs, enqueueSyncs } from '../../members/pending-syncs.js';

import { yieldToInteractive } from '../member/yield-to-interactive.js';
import { beginning, type PlannedMember, type PlannedPage, planGuild } from '../plan/guild-plan.js';
import { GuildRanks, underWay } from '../plan/guild-ranks.js';
import { readWholeRules, rulesKeyOf } from '../plan/guild-rules.js';
import { MappingTally } from '../plan/mapping-tally.js';
import { keepDifferences } from '../plan/observed-changes.js';
import { hasWork, obstaclesOf } from '../plan/plan.js';
import { removeChanges, storeChanges } from '../plan/planned-changes.js';
import type { ResyncRun } from './resync-run.js';

/**
 * A large guild's plan holds all its ranks in memory, which limits concurrent large plans; small ones are not limited.
 */
const largePlans = new PQueue({ concurrency: 4 });
const largeFrom = 10_000;

/**
 * Plans a job's members from its position, a page at a time. Stores the changes first, and then the position in one
 * write. Throws as `planGuild` does.
 */
export async function planResync(run: ResyncRun): Promise<void> {
  if (run.job.estimate < largeFrom) await planAll(run);
  else await largePlans.add(() => planAll(run), { signal: run.signal });
}

async function planAll(run: ResyncRun): Promise<void> {
  const guild = await run.servedGuild();
  const rules = await readWholeRules(guild);
  const rulesKey = rulesKeyOf(rules);
  if (run.job.rulesKey !== rulesKey) await planAnew(run, rulesKey);
  // A page's changes that a killed process had not finished.
  await removeChanges(run.job, run.job.parts);
  const { _id: jobId, memberIds, after } = run.job;
  run.tally = memberIds === null && after === beginning ? new MappingTally(rules, clock.now()) : undefined;
  run.reading = { rules, ranks: new GuildRanks(rules.groupIds, run.signal), readAt: clock.now() };
  const { tally, reading } = run;
  const options = { ...reading, memberIds: memberIds ?? undefined, after, ranksAhead: true, jobId, tally };
  for await (const page of planGuild(guild, options, run.signal)) {
    await run.check();
    await yieldToInteractive();
    // The differences in a guild in observe mode have their own plan.
    const isObserved = rules.settings.mode === 'observe';
    const differing = isObserved ? [] : page.differing;
    await storeChanges(run.job, differing, { part: run.job.parts, asOf: page.asOf });
    await noteBlocked(guild._id, page.differing.flatMap(blockedOnly));
    await noteUnblocked(guild._id, page.freed);
    await keepDifferences(
      guild._id,
      page.observed.filter(({ planned }) => planned.fence !== underWay),
    );
    await noteUnchanged(guild._id, page.notNoted);
    // A sync under way tells its changes; their own sync finds an interrupted one's.
    const begun = page.notNoted.filter(({ fence }) => fence === underWay);
    await enqueueSyncs(guild._id, [...page.putOff, ...begun.map(({ chatUserId }) => chatUserId)]);
    await completeSyncs(guild._id, page.inStep, jobId);
    const place = page.next === null ? ({ phase: 'checking' } as const) : { after: page.next };
    await run.advance({
      $set: place,
      $inc: { parts: 1, ...increments({ ...page, differing }) },
      $unset: { waiting: 1 },
    });
  }
  if (run.job.phase === 'planning') await run.advance({ $set: { phase: 'checking' } });
}

/** Members with a due change that is blocked entirely; for others, the write itself records the obstacles. */
function blockedOnly({ member: { chatUserId, username }, plan }: PlannedMember): BlockedMember[] {
  const blockedBy = obstaclesOf(plan);
  return hasWork(plan) || blockedBy.length === 0 ? [] : [{ chatUserId, username, blockedBy }];
}

/** Restarts the plan from the first member, by the changed rules. */
async function planAnew(run: ResyncRun, rulesKey: string): Promise<void> {
  const { changed, lost } = run.job.applied;
  await removeChanges(run.job);
  await run.advance({
    $set: {
      phase: 'planning',
      rulesKey,
      after: beginning,
      parts: 0,
      planned: { members: 0, settled: 0, unknown: 0, blocked: 0 },
      applied: { changed: 0, skipped: 0, failed: 0, blocked: 0, lost: 0 },
    },
    $inc: { changedBefore: changed, lostBefore: lost },
    $unset: { pace: 1 },
  });
}

function increments({ members, unknown, differing }: PlannedPage): Record<string, number> {
  const changes = differing.filter(({ plan }) => hasWork(plan)).length;
  const blocked = differing.length - changes;
  return {
    'planned.members': members,
    'planned.settled': members - changes,
    'planned.unknown': unknown,
    'planned.blocked': blocked,
  };
}
