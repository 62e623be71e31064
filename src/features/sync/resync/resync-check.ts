import { systemActor } from '../../../core/actors/actor.js';
import { recordAudit } from '../../../core/audit/audit-service.js';
import { readSettings } from '../../../core/settings/settings-service.js';
import { clock } from '../../../lib/clock.js';
import { countLosing } from './resync-changes.js';
import { dropDoubtful } from './resync-doubts.js';
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
  const share = losing / Math.max(1, planned.members);
  if (!confirmed && losing >= massRemoval.people && share > massRemoval.sharePercent / 100) {
    await holdBack(run, losing, share);
    return false;
  }
  await run.advance({ $set: { phase: 'applying' }, $unset: { waiting: 1 } });
  return true;
}

async function holdBack(run: ResyncRun, losing: number, share: number): Promise<void> {
  await run.advance({ $set: { awaitingConfirmation: { losing, share, since: clock.now() } }, $unset: { waiting: 1 } });
  const { _id, guildId, planned } = run.job;
  await recordAudit({
    guildId,
    actor: systemActor('mass-removal-brake'),
    action: 'resync.held',
    target: { kind: 'resync', id: _id },
    changes: { losing: { from: 0, to: losing }, members: { from: planned.members, to: planned.members } },
  });
}
