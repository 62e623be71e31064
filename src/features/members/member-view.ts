import { z } from 'zod';
import { timestamp } from '../../lib/fields.js';
import type { Member, SyncRecord } from './member-model.js';

/**
 * `linked` and in the server; `left`: linked and not in the server; `unlinked`: was linked once; `joined`: never was.
 */
export const memberStatus = z.enum(['linked', 'left', 'unlinked', 'joined']);
export type MemberStatus = z.output<typeof memberStatus>;

export const blockedRole = z.strictObject({ roleId: z.string(), reason: z.string() }).meta({ id: 'BlockedRole' });

export const syncRecordView = z
  .strictObject({
    at: timestamp,
    trigger: z.string(),
    added: z.array(z.string()),
    removed: z.array(z.string()),
    nickname: z.string().nullable().optional(),
    blocked: z.array(blockedRole),
    error: z.string().optional(),
  })
  .meta({ id: 'SyncRecord' });

export const memberView = z
  .strictObject({
    memberId: z.string(),
    chatUsername: z.string(),
    status: memberStatus,
    gameUserId: z.string().nullable(),
    gameUsername: z.string().nullable(),
    gameDisplayName: z.string().nullable(),
    linkedAt: timestamp.nullable(),
    lastSync: syncRecordView.nullable(),
  })
  .meta({ id: 'Member' });

/** What one sync did; `nickname` is the new one, or null when none was set. */
export const syncResultView = z
  .strictObject({
    added: z.array(z.string()),
    removed: z.array(z.string()),
    nickname: z.string().nullable(),
    blocked: z.array(blockedRole),
    nicknameBlocked: z.string().nullable(),
  })
  .meta({ id: 'SyncResult' });

export function viewMember(member: Member): z.input<typeof memberView> {
  const { chatUserId, chatUsername, gameUserId, gameUsername, gameDisplayName, linkedAt, syncs } = member;
  const last = syncs.at(-1);
  return {
    memberId: chatUserId,
    chatUsername,
    status: statusOf(member),
    gameUserId: gameUserId ?? null,
    gameUsername: gameUsername ?? null,
    gameDisplayName: gameDisplayName ?? null,
    linkedAt: linkedAt?.toISOString() ?? null,
    lastSync: last === undefined ? null : viewSync(last),
  };
}

/** Where a member stands in their guild, in one word. */
export function statusOf({ state, present }: Member): MemberStatus {
  return state === 'linked' && !present ? 'left' : state;
}

/** One sync of a member in answers. */
export function viewSync({ at, nickname, error, ...rest }: SyncRecord): z.input<typeof syncRecordView> {
  const { trigger, added, removed, blocked } = rest;
  return {
    at: at.toISOString(),
    trigger,
    added,
    removed,
    blocked,
    ...(nickname !== undefined && { nickname }),
    ...(error !== undefined && { error }),
  };
}
