import type { HealthFinding } from '../../core/guilds/health-issue.js';
import type { ReadSettings } from '../../core/settings/settings-service.js';
import { hasOpenCloud } from '../../platforms/roblox/open-cloud.js';

/** The obstacles to telling a guild's games at once, in words (PUSH-8). Pure. */
export function pushIssues({ settings: { universeIds }, pushRefusals = {} }: ReadSettings): HealthFinding[] {
  if (universeIds.length > 0 && !hasOpenCloud()) return [keyNeeded];
  return universeIds.flatMap((universeId) => {
    const refusal = pushRefusals[universeId];
    if (refusal === undefined) return [];
    const why = refusal.status === 404 ? unknown : notAllowed;
    const detail = `Roblox refuses messages to the experience ${universeId} (status ${refusal.status}): ${why}. Its games still learn of changes by their own look-ups.`;
    return [{ code: 'universe_refused', detail, universeId }];
  });
}

const keyNeeded: HealthFinding = {
  code: 'universe_key_needed',
  detail:
    "Your games aren't told of changes at once, since this bot has no ROBLOX_API_KEY. Tell whoever runs the bot to set it.",
};

const unknown = 'it knows none with this universe id. Correct it in the settings';
const notAllowed =
  "correct the universe id in the settings, or tell whoever runs the bot: its key needs universe-messaging-service:publish for it, and the key's account must be allowed to edit it";
