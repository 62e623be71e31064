import type { GuildSettings } from '../../../core/settings/guild-settings.js';
import type { PlannedMember } from '../plan/guild-plan.js';
import { hasWork } from '../plan/plan.js';

/** How many people a preview is about: all of its parts so far. */
export interface PreviewSummary {
  /** Looked at. */
  checked: number;
  /** Of them left as they are, since what Roblox says of them or their groups leaves doubts. */
  unknown: number;
  changed: number;
  /** Get a role, lose one, get or lose a nickname: somebody can be counted in each. */
  adding: number;
  removing: number;
  renamed: number;
  /** A change is due that the bot cannot make. */
  blocked: number;
  /** A resync that found this would wait for an admin before it took any role (SPEC §6.2). */
  wouldStopAtBrake: boolean;
}

/** Counts what is planned. Pure. */
export function summarize(
  differing: readonly PlannedMember[],
  { checked, unknown }: { checked: number; unknown: number },
  { massRemoval }: GuildSettings,
): PreviewSummary {
  const count = (among: (planned: PlannedMember) => boolean): number => differing.filter(among).length;
  const removing = count(({ plan }) => plan.remove.length > 0);
  return {
    checked,
    unknown,
    changed: count(({ plan }) => hasWork(plan)),
    adding: count(({ plan }) => plan.add.length > 0),
    removing,
    renamed: count(({ plan }) => plan.nickname !== undefined),
    blocked: count(({ plan }) => plan.blocked.length > 0 || plan.nicknameBlocked !== null),
    wouldStopAtBrake: removing >= massRemoval.people && removing > (checked * massRemoval.sharePercent) / 100,
  };
}
