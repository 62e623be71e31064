import { withLease } from '../../platforms/database/lease.js';

/**
 * Runs `work` while no other process changes roles or bot tokens in the guild: a token may not exceed its maker's role.
 * Throws Conflict `busy`.
 */
export function withTeamLease<T>(guildId: string, work: () => Promise<T>): Promise<T> {
  return withLease(`team:${guildId}`, work);
}
