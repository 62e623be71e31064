import { type AuditEntry, AuditLog } from '../../../src/core/audit/audit-model.js';
import { newId } from '../../../src/lib/ids.js';

/** Writes an entry into a guild's log as it would stand there if it had happened at `at`. */
export async function insertEntry(
  guildId: string,
  entry: Partial<Omit<AuditEntry, '_id' | 'guildId'>> = {},
): Promise<string> {
  const { at = new Date() } = entry;
  const _id = newId('log', at);
  const actor = { kind: 'user' as const, id: '7', name: 'Ann' };
  const target = { kind: 'mapping', id: 'map_1', name: 'Officers' };
  await AuditLog.insert({ _id, guildId, actor, action: 'mapping.updated', target, ...entry, at });
  return _id;
}

/** Empties a guild's log. Its entries are moved away, since the relay may put missing ones back. */
export async function emptyLog(guildId: string): Promise<void> {
  await AuditLog.acrossGuilds.updateMany({ guildId }, { $set: { guildId: `former ${guildId}` } });
}

export const daysAgo = (days: number): Date => new Date(Date.now() - days * 24 * 60 * 60_000);
