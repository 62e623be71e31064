import { systemActor } from '../../../core/actors/actor.js';
import { enterLog } from '../../../core/audit/audit-service.js';
import { readSettings } from '../../../core/settings/settings-service.js';
import { clock } from '../../../lib/clock.js';
import { push } from '../../../platforms/events/outbox.js';
import { isMassRemoval } from '../plan/guild-rules.js';
import { countLosing } from './resync-changes.js';
import { dropDoubtful } from './resync-doubts.js';
import { entryOfResync } from './resync-ending.js';
import type { ResyncRun } from './resync-run.js';

/**
 * Looks at a whole plan before any of it is written (SPEC §6.2). Gives whether it may be: not before an admin has
 * confirmed that so many shall lose roles. Throws GamePlatformUnavailable.
 */
export async function checkPlan(run: ResyncRun): Promise<boolean> {
  await dropDoubtful(run);
  const { guildId, planned, confirmed } = run.job;
  const { massRemoval } = await readSettings(guildId);
  const losing = await countLosing(run.job);
  if (!confirmed && isMassRemoval(losing, planned.members, massRemoval)) {
    await holdBack(run, losing);
    return false;
  }
  await run.advance({ $set: { phase: 'applying' }, $unset: { waiting: 1 } });
  return true;
}

async function holdBack(run: ResyncRun, losing: number): Promise<void> {
  const { members } = run.job.planned;
  const share = losing / Math.max(1, members);
  const changes = { losing: { from: 0, to: losing }, members: { from: members, to: members } };
  const entry = entryOfResync(run.job, systemActor('mass-removal-brake'), 'resync.held', changes);
  const awaitingConfirmation = { losing, share, since: clock.now() };
  await run.advance({ $set: { awaitingConfirmation }, $unset: { waiting: 1 }, ...push(entry) });
  await enterLog(entry);
}
