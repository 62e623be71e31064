import { z } from 'zod';
import { wishedSettings } from '../../../core/settings/guild-settings.js';
import { restrictionRule } from '../../../core/settings/restrictions.js';
import { snowflake } from '../../../lib/ids.js';
import { mappingDraft } from '../../mappings/mapping-draft.js';
import { syncResultView } from '../../members/member-view.js';
import type { PlannedMember } from '../plan/guild-plan.js';
import type { Preview } from './preview-service.js';
import { previewSummary, previewWarning } from './preview-summary.js';

const mappingChange = z
  .strictObject({
    mappingId: z
      .string()
      .regex(/^\w{1,100}$/, 'must be an id')
      .optional()
      .describe('The mapping that it replaces; absent for a new one.'),
    mapping: mappingDraft,
  })
  .describe('One mapping as it would be, among all others as they are. Not together with `mappings`.');

/** The body of POST …/sync/preview (RESYNC-25). `mappings` and `settings` replace everything stored. */
export const previewRequest = z
  .strictObject({
    memberIds: z.array(snowflake).min(1).max(1000).optional(),
    mappings: z.array(mappingDraft).max(1000).optional(),
    change: mappingChange.optional(),
    settings: wishedSettings.optional(),
    cursor: z.string().max(500).optional(),
  })
  .refine(({ mappings, change }) => mappings === undefined || change === undefined, {
    path: ['change'],
    error: 'must be left out where mappings are given',
  })
  .meta({ id: 'PreviewRequest' });

const { added: roleIds, blocked, nicknameBlocked } = syncResultView.shape;

/** `nickname`: the new one, null if it would be removed; absent if it would stay. */
export const previewedMemberView = z
  .strictObject({
    memberId: z.string(),
    chatUsername: z.string(),
    gameUsername: z.string().nullable(),
    add: roleIds,
    remove: roleIds,
    kick: restrictionRule.optional().describe('They would be kicked, for this.'),
    sparedFrom: restrictionRule
      .optional()
      .describe('A restriction that waits for the owner, since they are above its author. Their roles stay.'),
    leftOut: z.literal(true).optional().describe('An admin leaves them out, so nothing of theirs would change.'),
    nickname: z.string().nullable().optional(),
    blocked,
    nicknameBlocked,
  })
  .meta({ id: 'PreviewedMember' });

export const previewView = z
  .strictObject({
    previewId: z.string().describe('For POST …/resync, within 15 minutes: applies the answers under this id.'),
    members: z.array(previewedMemberView),
    summary: previewSummary,
    warnings: z.array(previewWarning),
    nextCursor: z.string().nullable().describe('For the next part, with the same body; null when all was looked at.'),
  })
  .meta({ id: 'Preview' });

export function viewPreview(preview: Preview): z.input<typeof previewView> {
  return { ...preview, members: preview.members.map(viewPreviewed) };
}

export function viewPreviewed({ member, plan, gameUsername }: PlannedMember): z.input<typeof previewedMemberView> {
  const { add, remove, nickname, blocked, nicknameBlocked, kick, sparedFrom, leftOut } = plan;
  return {
    memberId: member.chatUserId,
    chatUsername: member.username,
    gameUsername,
    add,
    remove,
    ...(kick !== undefined && { kick }),
    ...(sparedFrom !== undefined && { sparedFrom }),
    ...(leftOut && { leftOut }),
    ...(nickname !== undefined && { nickname }),
    blocked,
    nicknameBlocked,
  };
}
