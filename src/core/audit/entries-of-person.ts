import { trusted } from 'mongoose';
import { type AuditEntry, AuditLog } from './audit-model.js';

/** The entries in all logs about what a person did, then about what others did to them; newest first in each guild. */
export async function* entriesOfPerson(chatUserId: string): AsyncGenerator<AuditEntry> {
  for (const filter of [
    { 'actor.id': chatUserId },
    { 'target.id': chatUserId, 'actor.id': trusted({ $ne: chatUserId }) },
  ]) {
    const found = AuditLog.acrossGuilds.find(filter).sort({ guildId: 1, at: -1, _id: -1 });
    yield* found.lean<AuditEntry>().cursor();
  }
}
