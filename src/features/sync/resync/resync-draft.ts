import { type Actor, systemActor } from '../../../core/actors/actor.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { readSettings } from '../../../core/settings/settings-service.js';
import { clock } from '../../../lib/clock.js';
import { newId } from '../../../lib/ids.js';
import { linkMissing } from '../../accounts/missing-links.js';
import { keepPresence, storedAmong } from '../../members/page-presence.js';
import { beginning, type PlannedMember, type ReadyPlan } from '../plan/guild-plan.js';
import { hasWork } from '../plan/plan.js';
import { storeChanges } from './resync-changes.js';
import type { ResyncJob } from './resync-job-model.js';

const handedInAtOnce = 200;

/** The people of a resync; all by default. */
export interface ResyncWish {
  memberIds?: readonly string[] | undefined;
  plan?: ReadyPlan;
  /** Whether the guild then leaves observe mode. */
  goesLive?: true;
}

export const scopeOf = ({ memberIds, plan }: ResyncWish): ResyncJob['scope'] =>
  memberIds === undefined && plan === undefined ? 'whole' : 'part';

/** Keeps a whole resync out of the log until it finds a change: a check after a restart is no news. */
export const reconciliationActor = systemActor('catch-up');

/** A new job. Its changes are stored if its plan is ready. */
export async function draftJob(
  guild: Guild,
  actor: Actor,
  { memberIds, plan, goesLive }: ResyncWish,
): Promise<ResyncJob> {
  const job: ResyncJob = {
    _id: newId('job'),
    guildId: guild._id,
    open: true,
    scope: scopeOf({ memberIds, ...(plan && { plan }) }),
    ...(actor === reconciliationActor && { quiet: true }),
    state: 'queued',
    phase: plan === undefined ? 'planning' : 'checking',
    actor: { kind: actor.kind, id: actor.id, name: actor.name },
    memberIds: memberIds === undefined ? null : [...new Set(memberIds)],
    fixedPlan: plan !== undefined,
    ...(plan !== undefined && { previewId: plan.previewId }),
    ...(goesLive && { goesLive }),
    estimate: memberIds?.length ?? guild.memberCount,
    after: beginning,
    planned: { members: 0, settled: 0, unknown: 0, blocked: 0 },
    applied: { changed: 0, skipped: 0, failed: 0, blocked: 0, lost: 0 },
    changedBefore: 0,
    fence: 0,
    createdAt: clock.now(),
  };
  return plan === undefined ? job : { ...job, planned: await storePlan(job, plan) };
}

/** Stores the changes of a ready plan before its job, so that a job never has half of its plan. */
async function storePlan(
  job: ResyncJob,
  { members, unknown, asOf, differing }: ReadyPlan,
): Promise<ResyncJob['planned']> {
  const page = { page: beginning, asOf };
  let changes = 0;
  let blocked = 0;
  let batch: PlannedMember[] = [];
  for await (const member of differing) {
    if (hasWork(member.plan)) changes += 1;
    else blocked += 1;
    batch.push(member);
    if (batch.length < handedInAtOnce) continue;
    await linkAsShown(job, batch, asOf);
    await storeChanges(job, batch, page);
    batch = [];
  }
  await linkAsShown(job, batch, asOf);
  await storeChanges(job, batch, page);
  return { members, settled: members - changes, unknown, blocked };
}

/** A preview shows people as linked if their account links them; a resync links them as it plans. */
async function linkAsShown({ _id, guildId }: ResyncJob, shown: readonly PlannedMember[], askedAt: Date): Promise<void> {
  const people = shown.filter(({ state }) => state === 'linked').map(({ member }) => member);
  const ids = people.map(({ chatUserId }) => chatUserId);
  const stored = await storedAmong(guildId, ids);
  await keepPresence({ guildId, after: beginning, next: null, people, askedAt }, stored, true);
  await linkMissing(guildId, stored.values(), await readSettings(guildId), _id);
}
