import { withLease } from '../../platforms/database/lease.js';

/**
 * Runs `work` while nobody else changes who holds which role in the guild, nor makes or revokes its bot tokens: a token
 * is held to its maker's role. Throws Conflict `busy`.
 */
export function withTeamLease<T>(guildId: string, work: () => Promise<T>): Promise<T> {
  return withLease(`team:${guildId}`, work);
}
