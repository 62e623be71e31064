import type { HealthFinding } from '../../core/guilds/health-issue.js';
import type { ReadSettings } from '../../core/settings/settings-service.js';
import { clock } from '../../lib/clock.js';
import { minuteMs } from '../../lib/time.js';

const unfinishedMs = 2 * minuteMs;

/** A rule change that takes longer than its writes do has failed, and holds up all syncs. */
export function unfinishedIssues({ changingSince }: ReadSettings): HealthFinding[] {
  if (changingSince === undefined || clock.epochMs() - changingSince.getTime() < unfinishedMs) return [];
  const detail =
    'A change of the rules could not be completed, so no member is synced. It is tried again every minute and taken back after 15 minutes. If this stays, save the configuration again.';
  return [{ code: 'rules_unfinished', detail }];
}
