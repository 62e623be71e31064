import { z } from 'zod';
import type { GuildMember } from '../../platforms/discord/guild-members.js';
import { type ImportSource, importSource } from '../accounts/account-model.js';
import type { Member } from '../members/member-model.js';
import { blockedRole } from '../members/member-sync-fields.js';
import { memberView, syncRecordView, viewMember, viewSyncOf } from '../members/member-view.js';
import type { MemberState } from '../sync/plan/member-state.js';
import type { SyncPlan } from '../sync/plan/plan.js';

/** The roles and expected roles are null for a member who is not in the server, the ranks for one without account. */
export const memberDetailView = memberView
  .extend({
    nickname: z.string().nullable(),
    importedFrom: importSource
      .nullable()
      .describe('Where this server has imported the account from; null: the person proved it.'),
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

/** A member's current data on both platforms; on Discord null: not in the server. */
export interface MemberNow {
  onDiscord: GuildMember | null;
  standing: (MemberState & { plan: SyncPlan }) | null;
  unavailable: 'game_platform_unavailable' | 'chat_platform_unavailable' | null;
}

export function viewMemberDetail(
  member: Member,
  now: MemberNow,
  importedFrom: ImportSource | null,
): z.input<typeof memberDetailView> {
  const { onDiscord, standing, unavailable } = now;
  const held = onDiscord?.roleIds ?? null;
  const expected = held === null || standing === null ? null : expectedRoles(held, standing.plan);
  return {
    ...viewMember(member),
    ...{ nickname: onDiscord?.nickname ?? null, importedFrom },
    groupRanks: standing?.game ? [...standing.ranks].map(([groupId, roles]) => ({ groupId, roles: [...roles] })) : null,
    rolesHeld: held,
    rolesExpected: expected,
    blocked: standing?.plan.blocked ?? [],
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
