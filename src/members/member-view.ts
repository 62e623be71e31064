import { z } from 'zod';
import type { GuildMember } from '../discord/guild-members.js';
import { timestamp } from '../http/fields.js';
import type { MemberStanding } from '../sync/member-standing.js';
import type { SyncPlan } from '../sync/plan.js';
import type { Member, SyncRecord } from './member-model.js';

/**
 * `linked` and in the server; `left`: linked and not in the server; `unlinked`: was linked once; `joined`: never was.
 */
export const memberStatus = z.enum(['linked', 'left', 'unlinked', 'joined']);
export type MemberStatus = z.output<typeof memberStatus>;

const blockedRole = z.strictObject({ roleId: z.string(), reason: z.string() }).meta({ id: 'BlockedRole' });

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

/** The roles and expected roles are null for a member who is not in the server, the ranks for one without account. */
export const memberDetailView = memberView
  .extend({
    nickname: z.string().nullable(),
    groupRanks: z
      .array(
        z.strictObject({
          groupId: z.string(),
          roles: z.array(z.strictObject({ gameRoleId: z.string(), name: z.string(), rank: z.int() })),
        }),
      )
      .nullable(),
    rolesHeld: z.array(z.string()).nullable(),
    rolesExpected: z.array(z.string()).nullable(),
    blocked: z.array(blockedRole),
    unavailable: z.enum(['game_platform_unavailable', 'chat_platform_unavailable']).nullable(),
    syncs: z.array(syncRecordView),
  })
  .meta({ id: 'MemberDetail' });

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

/** What the platforms say of a member now: on Discord (null: not there), and where they stand with which plan. */
export interface MemberNow {
  onDiscord: GuildMember | null;
  standing: (MemberStanding & { plan: SyncPlan }) | null;
  unavailable: 'game_platform_unavailable' | 'chat_platform_unavailable' | null;
}

export function viewMemberDetail(member: Member, now: MemberNow): z.input<typeof memberDetailView> {
  const { onDiscord, standing, unavailable } = now;
  const held = onDiscord?.roleIds ?? null;
  const expected = held === null || standing === null ? null : expectedRoles(held, standing.plan);
  return {
    ...viewMember(member),
    nickname: onDiscord?.nickname ?? null,
    groupRanks: standing?.game ? [...standing.ranks].map(([groupId, roles]) => ({ groupId, roles: [...roles] })) : null,
    rolesHeld: held,
    rolesExpected: expected,
    blocked: standing?.plan.blocked ?? [],
    unavailable,
    syncs: member.syncs.map(viewSync).reverse(),
  };
}

/** The roles after a sync in which nothing was blocked. */
function expectedRoles(held: readonly string[], { add, remove, blocked }: SyncPlan): string[] {
  const due = blocked.map(({ roleId }) => roleId);
  const kept = held.filter((roleId) => !remove.includes(roleId) && !due.includes(roleId));
  return [...kept, ...add, ...due.filter((roleId) => !held.includes(roleId))];
}
