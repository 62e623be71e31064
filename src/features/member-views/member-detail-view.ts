import { z } from 'zod';
import { timestamp } from '../../lib/fields.js';
import type { GuildMember } from '../../platforms/discord/guild-members.js';
import { importSource, importSourceOf } from '../accounts/account-model.js';
import { reportedFactView, viewFacts } from '../members/member-facts.js';
import type { Member } from '../members/member-model.js';
import { blockedRole } from '../members/member-sync-fields.js';
import { undoUntil } from '../members/member-unlinks.js';
import { memberView, syncRecordView, viewMember, viewSyncOf } from '../members/member-view.js';
import type { MemberState } from '../sync/plan/member-state.js';
import type { SyncPlan } from '../sync/plan/plan.js';
import type { MemberWhy } from './member-why.js';
import { discordAsOf, removalsWaitView } from './member-why-view.js';

/** Whether a member's page asks Discord, instead of the gateway's knowledge. */
export const freshQuery = z.strictObject({
  fresh: z.enum(['true', 'false']).default('false').describe('Asks Discord, and is 503 while its limits are used up.'),
});

/** The roles and expected roles are null for a member outside the server, the ranks for a member without an account. */
export const memberDetailView = memberView
  .extend({
    nickname: z.string().nullable().describe('The nickname on Discord; null without one.'),
    importedFrom: importSource
      .nullable()
      .describe('Where this server has imported the account from; null: the person proved it.'),
    undoUntil: timestamp.nullable().describe("Until when an admin's unlink of them can be undone; null: none can."),
    leftOutSince: timestamp
      .nullable()
      .describe('Since when an admin leaves them out of every change; null: they take part.'),
    facts: z.array(reportedFactView).describe("Facts about the account that the server's own game has reported."),
    groupRanks: z
      .array(
        z.strictObject({
          groupId: z.string(),
          roles: z
            .array(z.strictObject({ gameRoleId: z.string(), name: z.string(), rank: z.int() }))
            .describe('The roles that the account has in the group.'),
        }),
      )
      .nullable(),
    asOf: discordAsOf,
    rolesHeld: z.array(z.string()).nullable(),
    rolesExpected: z.array(z.string()).nullable(),
    blocked: z.array(blockedRole).describe("Roles that can't be given or taken, each with the reason."),
    removalsWait: removalsWaitView.exactOptional(),
    unavailable: z
      .enum(['game_platform_unavailable', 'chat_platform_unavailable'])
      .nullable()
      .describe('The platform that did not answer; null: both did.'),
    syncs: z.array(syncRecordView).describe('The last ten syncs, the newest first.'),
  })
  .meta({ id: 'MemberDetail' });

/** A member's current data on both platforms; on Discord null: not in the server. */
export interface MemberNow extends Pick<MemberWhy, 'removalsWait'> {
  onDiscord: GuildMember | null;
  /** The time for which `onDiscord` holds; null: Discord didn't answer. */
  asOf: Date | null;
  memberState: (MemberState & { plan: SyncPlan }) | null;
  unavailable: 'game_platform_unavailable' | 'chat_platform_unavailable' | null;
}

export function viewMemberDetail(member: Member, now: MemberNow): z.input<typeof memberDetailView> {
  const { onDiscord, asOf, memberState, unavailable } = now;
  const held = onDiscord?.roleIds ?? null;
  const expected = held === null || memberState === null ? null : expectedRoles(held, memberState.plan);
  return {
    ...viewMember(member),
    ...{
      nickname: onDiscord?.nickname ?? null,
      importedFrom: importSourceOf(member),
      asOf: asOf?.toISOString() ?? null,
      undoUntil: undoUntil(member)?.toISOString() ?? null,
      leftOutSince: member.leftOut?.toISOString() ?? null,
    },
    facts: viewFacts(member),
    groupRanks: memberState?.game
      ? [...memberState.ranks].map(([groupId, roles]) => ({ groupId, roles: [...roles] }))
      : null,
    rolesHeld: held,
    rolesExpected: expected,
    blocked: memberState?.plan.blocked ?? [],
    ...(now.removalsWait && { removalsWait: now.removalsWait }),
    unavailable,
    syncs: member.syncs.map((record) => viewSyncOf(member, record)).reverse(),
  };
}

/** The roles after a sync in which nothing was blocked. */
function expectedRoles(held: readonly string[], { add, remove, blocked }: SyncPlan): string[] {
  const due = blocked.map(({ roleId }) => roleId);
  const kept = held.filter((roleId) => !remove.includes(roleId) && !due.includes(roleId));
  return [...kept, ...add, ...due.filter((roleId) => !held.includes(roleId))];
}
