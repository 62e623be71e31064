import { z } from 'zod';
import type { GuildSettings } from '../../../core/settings/guild-settings.js';
import type { PlannedMember } from '../plan/guild-plan.js';
import { isMassRemoval } from '../plan/guild-rules.js';
import { hasWork } from '../plan/plan.js';

const count = z.int().min(0);

/** How many people a preview is about. Somebody who gets a role and loses one counts in both. */
export const previewSummary = z
  .strictObject({
    checked: count,
    unknown: count.describe('Left as they are, since what Roblox says of them or their groups leaves doubts.'),
    changed: count,
    adding: count,
    removing: count,
    renamed: count,
    blocked: count,
    // A resync that found this would wait for an admin before it took any role (SPEC §6.2).
    wouldStopAtBrake: z.boolean(),
  })
  .describe('How many people, in all answers under this previewId.');
export type PreviewSummary = z.output<typeof previewSummary>;

/** Counts what is planned. Pure. */
export function summarize(
  differing: readonly PlannedMember[],
  { checked, unknown }: { checked: number; unknown: number },
  { massRemoval }: GuildSettings,
): PreviewSummary {
  const those = (are: (planned: PlannedMember) => boolean): number => differing.filter(are).length;
  const removing = those(({ plan }) => plan.remove.length > 0);
  return {
    checked,
    unknown,
    changed: those(({ plan }) => hasWork(plan)),
    adding: those(({ plan }) => plan.add.length > 0),
    removing,
    renamed: those(({ plan }) => plan.nickname !== undefined),
    blocked: those(({ plan }) => plan.blocked.length > 0 || plan.nicknameBlocked !== null),
    wouldStopAtBrake: isMassRemoval(removing, checked, massRemoval),
  };
}
