import { z } from 'zod';
import { timestamp } from '../../lib/fields.js';
import { shownFields } from '../../lib/shown-fields.js';
import { nicknameObstacle } from '../../platforms/discord/role-hierarchy.js';
import { type Member, memberFields } from './member-model.js';
import { blockedRole, refusedNickname, type SyncRecord, syncRecordFields } from './member-sync-fields.js';

/**
 * A member's status. `linked`: linked and in the server; `account_gone`: the same, but Roblox has deleted or banned the
 * account; `left`: linked and not in the server; `unlinked`: was linked once; `joined`: never was.
 */
export const memberStatus = z.enum(['linked', 'account_gone', 'left', 'unlinked', 'joined']);
export type MemberStatus = z.output<typeof memberStatus>;

/**
 * How a member stands against the rules, by the last sync. `pending`: a sync is due; `blocked`: it could not do
 * everything; `differs`: the guild only observes, and something would change; `left_out`: an admin leaves them out;
 * `unsynced`: no sync yet.
 */
export const memberSyncState = z.enum(['in_step', 'pending', 'blocked', 'differs', 'left_out', 'unsynced']);
export type MemberSyncState = z.output<typeof memberSyncState>;

const count = z.int().nonnegative();

export const memberCounts = z
  .strictObject({
    linked: count.describe('Linked members in the server.'),
    account_gone: count.describe('Linked members in the server with a deleted or banned account.'),
    left: count.describe('Linked people who have left the server.'),
    unlinked: count.describe('People who were linked once.'),
    joined: count.describe('Members who were never linked.'),
  })
  .meta({ id: 'MemberCounts' });

export const syncRecordView = syncRecordFields
  .omit({ jobId: true })
  .extend({ at: timestamp })
  .meta({ id: 'SyncRecord' });

const shown = shownFields(
  memberFields.pick({
    chatUsername: true,
    gameUserId: true,
    gameUsername: true,
    gameDisplayName: true,
    linkedAt: true,
  }),
);

export const memberView = shown.view
  .extend({
    memberId: z.string(),
    status: memberStatus.describe('Whether the person is linked and in the server.'),
    state: memberSyncState.describe('What the last sync found, and what is pending.'),
    roleIds: z.array(z.string()).describe('The mapped roles that they held after their last sync.'),
    lastSync: syncRecordView.nullable(),
  })
  .meta({ id: 'Member' });

/** One sync's changes; `nickname` is the new one, or null if none was set. */
export const syncResultView = z
  .strictObject({
    added: z.array(z.string()),
    removed: z.array(z.string()),
    nickname: z.string().nullable().describe('The new nickname; null: it stays.'),
    blocked: z.array(blockedRole).describe('Roles that could not be given or taken, each with the reason.'),
    nicknameBlocked: nicknameObstacle.nullable(),
    nicknameRefused: refusedNickname.exactOptional(),
    waitsForRules: z
      .literal(true)
      .exactOptional()
      .describe('They get roles once they have accepted the rules of the server.'),
    leftOut: z.literal(true).exactOptional().describe('An admin leaves them out, so nothing of theirs is changed.'),
    observed: z
      .literal(true)
      .exactOptional()
      .describe('The server only observes, so due changes were not made (`mode`).'),
  })
  .meta({ id: 'SyncResult' });

export function viewMember(member: Member): z.input<typeof memberView> {
  const last = member.syncs.at(-1);
  return {
    memberId: member.chatUserId,
    ...shown.show(member),
    status: statusOf(member),
    state: syncStateOf(member),
    roleIds: member.left?.roleIds ?? [],
    lastSync: last === undefined ? null : viewSyncOf(member, last),
  };
}

export function statusOf({ state, present, goneSince }: Pick<Member, 'state' | 'present' | 'goneSince'>): MemberStatus {
  if (state !== 'linked') return state;
  if (!present) return 'left';
  return goneSince === undefined ? 'linked' : 'account_gone';
}

/** How a member stands against the rules. */
function syncStateOf({ owedSync, blockedBy, differs, left, leftOut }: Member): MemberSyncState {
  if (owedSync !== undefined) return 'pending';
  if (leftOut !== undefined) return 'left_out';
  if (differs !== undefined) return 'differs';
  if (blockedBy !== undefined) return 'blocked';
  return left === undefined ? 'unsynced' : 'in_step';
}

/**
 * A member's sync, as others see it. Its nickname reveals their Roblox name, so it is hidden once that link has ended
 * (ID-33).
 */
export function viewSyncOf(
  { state, linkedAt }: Pick<Member, 'state' | 'linkedAt'>,
  record: SyncRecord,
): z.input<typeof syncRecordView> {
  const { nickname, ...did } = viewSync(record);
  const isOfLink = state === 'linked' && linkedAt !== undefined && record.at >= linkedAt;
  return { ...did, ...(nickname !== undefined && (isOfLink || nickname === null) && { nickname }) };
}

/** One sync, as its own person sees it. */
export function viewSync({ at, jobId: _, ...did }: SyncRecord): z.input<typeof syncRecordView> {
  return { at: at.toISOString(), ...did };
}
