import type { HealthFinding } from '../../core/guilds/health-issue.js';
import { secondMs } from '../../lib/time.js';
import { callWaitOf } from '../../platforms/discord/rest/discord-call.js';

/** Shorter waits are usual: within Discord's limits a window takes up to ten seconds from a crowd's syncs. */
const longMs = 5 * secondMs;

/** Whether a guild's calls to Discord waited long for their turn in the last minute in this process (SYNC-139). */
export function waitingCallsIssue(guildId: string): HealthFinding[] {
  const waitMs = callWaitOf(guildId);
  if (waitMs < longMs) return [];
  const seconds = Math.round(waitMs / secondMs);
  const detail = `Discord's limits for this server are used up: in the last minute, calls waited up to ${seconds} s. Commands and verifications go first, then joins and syncs, then what bots and pages read.`;
  return [{ code: 'discord_calls_wait', detail, count: seconds }];
}
