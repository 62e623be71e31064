import { clock } from '../../lib/clock.js';
import { newId } from '../../lib/ids.js';
import { currentLogContext } from '../../lib/logger.js';
import type { Actor } from '../actors/actor.js';
import type { AuditAction } from './audit-actions.js';
import { type AuditEntry, AuditLog, type Changes, newestFirst, platformLog } from './audit-model.js';

export type { AuditEntry, Changes } from './audit-model.js';

const listeners = new Set<(entry: AuditEntry) => void>();

/** Calls `listener` with each entry that this process writes, once it is stored. It must not throw. */
export function onAuditEntry(listener: (entry: AuditEntry) => void): void {
  listeners.add(listener);
}

/**
 * Writes a log entry for a change, after it is made and before it is answered, with the id of the request, interaction
 * or job that made it. `guildId: null` when it belongs to no guild.
 */
export async function recordAudit(entry: {
  guildId: string | null;
  actor: Actor;
  action: AuditAction;
  target: AuditEntry['target'];
  changes?: Changes;
}): Promise<void> {
  const { guildId, actor, action, target, changes } = entry;
  const { requestId, interactionId, jobId } = currentLogContext();
  const origin = requestId ?? interactionId ?? jobId;
  const at = clock.now();
  const stored = await AuditLog.insert({
    _id: newId('log', at),
    guildId: guildId ?? platformLog,
    at,
    actor: { kind: actor.kind, id: actor.id, name: actor.name },
    action,
    target,
    ...(changes !== undefined && { changes }),
    ...(origin !== undefined && { requestId: origin }),
  });
  for (const listener of listeners) listener(stored);
}

/** The newest entries of a guild, at most `limit`. */
export function latestEntries(guildId: string, limit: number): Promise<AuditEntry[]> {
  return AuditLog.find({ guildId }, { sort: newestFirst, limit });
}
