import { z } from 'zod';
import type { LinkedGroup } from '../../../core/groups/group-service.js';
import type { GuildSettings } from '../../../core/settings/guild-settings.js';
import { t } from '../../../lib/translate.js';
import type { GuildFacts } from '../../../platforms/discord/guild-facts.js';
import { permissionList } from '../../../platforms/discord/permission-words.js';
import { roleWarnings } from '../../mappings/mapping-status.js';
import type { PlannedMember } from '../plan/guild-plan.js';
import { type GuildRules, isMassRemoval } from '../plan/guild-rules.js';
import { hasWork } from '../plan/plan.js';

const count = z.int().min(0);

/** How many people are affected, by kind. A person that gets one role and loses another counts in both. */
export const previewSummary = z
  .strictObject({
    checked: count,
    unknown: count.describe("Unchanged, since Roblox's answer about them or their groups is doubtful."),
    changed: count,
    adding: count,
    removing: count,
    kicking: count.describe('The number of people to be kicked, each by a sync of their own.'),
    renamed: count,
    blocked: count,
    // Whether a resync with this result would wait for an admin before it took any role (RESYNC-7).
    wouldStopAtBrake: z.boolean(),
  })
  .describe('How many people, in all answers under this previewId.');
export type PreviewSummary = z.output<typeof previewSummary>;

const isBlocked = ({ plan }: PlannedMember): boolean =>
  plan.blocked.length > 0 || plan.nicknameBlocked !== null || plan.sparedFrom !== undefined;

export function summarize(
  differing: readonly PlannedMember[],
  { checked, unknown }: { checked: number; unknown: number },
  { massRemoval }: GuildSettings,
): PreviewSummary {
  const those = (are: (planned: PlannedMember) => boolean): number => differing.filter(are).length;
  const removing = those(({ plan }) => plan.remove.length > 0);
  const kicking = those(({ plan }) => plan.kick !== undefined);
  return {
    checked,
    unknown,
    changed: those(({ plan }) => hasWork(plan)),
    adding: those(({ plan }) => plan.add.length > 0),
    removing,
    kicking,
    renamed: those(({ plan }) => plan.nickname !== undefined),
    blocked: those(isBlocked),
    wouldStopAtBrake: isMassRemoval(removing + kicking, checked, massRemoval),
  };
}

/** Something to know before a preview's plan is applied; `detail` is a sentence for people. */
export const previewWarning = z.strictObject({
  code: z.enum(['dangerous_role', 'group_missing', 'mappings_paused', 'mass_removal', 'people_unknown']),
  detail: z.string().describe('Its parts are in the other fields.'),
  roleId: z.string().optional(),
  roleName: z.string().optional().describe('Of `roleId`, on Discord.'),
  permissions: z.array(z.string()).optional().describe("dangerous_role: those that make it so, by Discord's names."),
  groupId: z.string().optional(),
  groupName: z.string().optional().describe('Of `groupId`, on Roblox.'),
  roleIds: z.array(z.string()).optional().describe('mappings_paused: the roles that are neither given nor taken.'),
  removing: count.optional().describe('mass_removal, people_unknown: how many people would lose roles.'),
  checked: count.optional().describe('mass_removal: of how many.'),
  sharePercent: z.number().optional().describe('mass_removal: the share in percent from which an admin must confirm.'),
});
export type PreviewWarning = z.output<typeof previewWarning>;

interface WarnedPreview {
  rules: GuildRules;
  facts: GuildFacts;
  groups: readonly Pick<LinkedGroup, 'groupId' | 'name'>[];
  summary: PreviewSummary;
  differing: readonly PlannedMember[];
}

export function previewWarnings(preview: WarnedPreview): PreviewWarning[] {
  const { rules, facts, groups } = preview;
  return [
    ...massRemoval(preview),
    ...dangerousRoles(rules, facts),
    ...missingGroups(rules, groups),
    ...pausedMappings(rules),
  ];
}

function pausedMappings({ pausedRoleIds }: GuildRules) {
  if (pausedRoleIds.length === 0) return [];
  const detail = t('preview_warning.mappings_paused');
  return [{ code: 'mappings_paused' as const, detail, roleIds: [...pausedRoleIds] }];
}

/**
 * The removals beyond the limit. If people without a known account make them so many, an import is the remedy
 * (RESYNC-56).
 */
function massRemoval({ rules, summary, differing }: WarnedPreview) {
  const { wouldStopAtBrake: wouldStopAtRemovalLimit, removing: losing, kicking, checked } = summary;
  if (!wouldStopAtRemovalLimit) return [];
  const limit = rules.settings.massRemoval;
  const { sharePercent } = limit;
  const removing = losing + kicking;
  const people = differing.filter(({ gameUserId, plan }) => gameUserId === null && plan.remove.length > 0).length;
  if (people > 0 && !isMassRemoval(removing - people, checked, limit)) {
    const detail = t('preview_warning.people_unknown', { removing: people });
    return [{ code: 'people_unknown' as const, detail, removing: people, checked }];
  }
  const detail = t('preview_warning.mass_removal', { removing, checked, share: sharePercent });
  return [{ code: 'mass_removal' as const, detail, removing, checked, sharePercent }];
}

function dangerousRoles({ mappings }: GuildRules, facts: GuildFacts) {
  const roleIds = new Set(mappings.flatMap((mapping) => mapping.roleIds));
  return roleWarnings([...roleIds], facts).map(({ roleId, permissions }) => {
    const roleName = facts.roles.get(roleId)?.name ?? roleId;
    const detail = t('preview_warning.dangerous_role', { role: roleName, permissions: permissionList(permissions) });
    return { code: 'dangerous_role' as const, detail, roleId, roleName, permissions };
  });
}

function missingGroups({ missing }: GuildRules, groups: readonly Pick<LinkedGroup, 'groupId' | 'name'>[]) {
  return [...missing].map((groupId) => {
    const groupName = groups.find((group) => group.groupId === groupId)?.name ?? groupId;
    const detail = t('preview_warning.group_missing', { group: groupName });
    return { code: 'group_missing' as const, detail, groupId, groupName };
  });
}
