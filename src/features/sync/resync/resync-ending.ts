import type { Actor } from '../../../core/actors/actor.js';
import type { AuditAction } from '../../../core/audit/audit-actions.js';
import { type Changes, type NewEntry, newEntry } from '../../../core/audit/audit-service.js';
import type { ResyncError, StoredPlan } from '../plan/plan-model.js';

export const guildWasSuspended: ResyncError = { code: 'guild_suspended', message: 'The server was suspended.' };

export type FinalState = 'completed' | 'cancelled' | 'failed';

export function endAs(state: FinalState, finishedAt: Date, error?: ResyncError) {
  return {
    $set: { state, finishedAt, ...(error && { error }) },
    $unset: { open: 1, waiting: 1, awaitingConfirmation: 1, pace: 1 },
  } as const;
}

export function entryOfResync(
  { _id, guildId }: Pick<StoredPlan, '_id' | 'guildId'>,
  actor: Actor,
  action: AuditAction,
  changes?: Changes,
): NewEntry {
  const target = { kind: 'resync', id: _id };
  return newEntry({ guildId, actor, action, target, ...(changes !== undefined && { changes }) });
}

export function entryOf(job: StoredPlan, actor: Actor, action: AuditAction): NewEntry {
  const { memberIds } = job;
  const changes = memberIds === null ? undefined : { memberIds: { from: null, to: memberIds.length } };
  return entryOfResync(job, actor, action, changes);
}
