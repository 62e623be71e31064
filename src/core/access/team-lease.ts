import { withLease } from '../../platforms/database/lease.js';

/**
 * Runs `work` while nobody else changes roles or bot tokens in the guild, since a token may not be above its maker's
 * role. Throws Conflict `busy`.
 */
export function withTeamLease<T>(guildId: string, work: () => Promise<T>): Promise<T> {
  return withLease(`team:${guildId}`, work);
}
