import type { Guild } from '../../core/guilds/guild-service.js';
import { GamePlatformUnavailable } from '../../lib/errors.js';
import { lookUpMember } from '../../platforms/discord/guild-members.js';
import { membershipsReadAt } from '../../platforms/roblox/memberships.js';
import { type ImportSource, importSourceOf } from '../accounts/account-model.js';
import { leavesOf, matches } from '../mappings/condition.js';
import type { Mapping } from '../mappings/mapping-model.js';
import type { PauseReason } from '../mappings/mappings-in-force.js';
import { type MappingsSnapshot, partSnapshot, readMappingsSnapshot } from '../mappings/mappings-snapshot.js';
import { rolesGiven } from '../mappings/whole-group.js';
import { keepPerson, noSuchMember } from '../members/member-service.js';
import { asHeld } from '../sync/member/removal-limit.js';
import { conditionFacts, judge, keeps, restrictionOf } from '../sync/plan/judge-member.js';
import {
  type MemberState,
  memberStateWithoutGame,
  nowOf,
  type RanksRead,
  readMemberState,
} from '../sync/plan/member-state.js';
import { type MappingVerdict, planSync, type SyncPlan } from '../sync/plan/plan.js';
import { waitingResync } from '../sync/plan/waiting-plan.js';

/** The planner's verdict on one mapping for a member, and its grounds. */
export interface MappingReason {
  mapping: Mapping;
  /** The roles that it gives the member, for a whole group by their rank; if it gives none, all that it could give. */
  roleIds: readonly string[];
  verdict: MappingVerdict['verdict'];
  /** Each condition part's result; null: unknown. A paused mapping is not checked. */
  parts: { path: string; met: boolean | null }[];
  paused: PauseReason | null;
}

/** Why a member has the roles that they have, or will have after the next sync. */
export interface MemberWhy {
  memberState: MemberState;
  snapshot: MappingsSnapshot;
  /** Held on Discord, at the time `asOf`. */
  rolesHeld: readonly string[];
  asOf: Date;
  plan: SyncPlan;
  /** The resync by which an admin may confirm their removals, if those wait for it; null: none asks now. */
  removalsWait?: { resyncId: string | null };
  /** Whether a role they hold protects their roles or nickname from mappings and the template (SET-4). */
  keeps: { roles: boolean; nickname: boolean };
  /** Their restriction (RESTR-13); null: none. */
  restriction: ReturnType<typeof restrictionOf>;
  /** Every enabled mapping's reasons, oldest first. */
  reasons: MappingReason[];
  /** The time when the roles in the groups were read from Roblox; null if nothing was read. */
  ranksReadAt: Date | null;
  /** An imported account's source; null if the person proved it. */
  importedFrom: ImportSource | null;
}

/**
 * Explains a member's roles by the state that a sync would use now (DISC-7), without a change; `fresh`: Discord is asked;
 * `known`: as if these were their ranks. Anything that depends on Roblox stays open while Roblox does not answer. Throws
 * NotFound `member_not_found` for a person outside the server, ChatPlatformUnavailable; HeldBack as `readMemberNow`.
 */
export async function explainMember(
  guild: Guild,
  chatUserId: string,
  fresh = false,
  known?: RanksRead,
): Promise<MemberWhy> {
  const { member, asOf, isRead: isAsked } = await lookUpMember(guild._id, chatUserId, fresh);
  if (member === null) throw noSuchMember();
  const state = memberStateOf(guild, chatUserId, known);
  const [memberState, snapshot] = await Promise.all([state, readMappingsSnapshot(guild)]);
  const { game, doubt, stored } = memberState;
  if (stored !== null && isAsked) await keepPerson(stored, member);
  const now = nowOf(memberState);
  const input = judge(memberState, { ...now, member }, snapshot.facts);
  const facts = conditionFacts(memberState, now);
  const verdicts = memberState.mappings.map(({ _id }, index) => ({ _id, judged: input.verdicts[index] }));
  const { inForce, paused } = partSnapshot(snapshot);
  const reasons = [
    ...inForce.map((mapping): MappingReason => {
      const parts = leavesOf(mapping.condition).map(({ path, leaf }) => ({ path, met: matches(leaf, facts) }));
      const ofIt = verdicts.flatMap(({ _id, judged }) => (_id === mapping._id && judged ? judged : []));
      return { mapping, ...together(ofIt), parts, paused: null };
    }),
    ...paused.map(({ mapping, reason }): MappingReason => {
      return { mapping, roleIds: rolesGiven(mapping, snapshot), verdict: 'undecided', parts: [], paused: reason };
    }),
  ];
  const isRead = game !== null && doubt === undefined && memberState.groupIds.length > 0;
  const ranksReadAt = isRead ? membershipsReadAt(game.gameUserId) : null;
  const kept = { roles: input.keepsRoles, nickname: keeps('keepNickname', memberState, { stored, member }) };
  const restriction = restrictionOf(memberState, now);
  const plan = asHeld(stored, planSync(input));
  const verdict = { plan, ...(await removalsWait(guild._id, plan)), keeps: kept, restriction, reasons, ranksReadAt };
  const importedFrom = game === null ? null : importSourceOf(stored);
  return { memberState, snapshot, rolesHeld: member.roleIds, asOf, importedFrom, ...verdict };
}

/** The resync that asks an admin about a plan's removals, if they wait for that. */
export async function removalsWait(
  guildId: string,
  { heldRemovals }: SyncPlan,
): Promise<Pick<MemberWhy, 'removalsWait'>> {
  return heldRemovals === true ? { removalsWait: { resyncId: await waitingResync(guildId) } } : {};
}

/** Combines the verdicts on one mapping; a whole-group mapping has one for each rank with a role. */
function together(verdicts: readonly MappingVerdict[]): Pick<MappingReason, 'verdict' | 'roleIds'> {
  const verdict =
    (['matched', 'undecided'] as const).find((one) => verdicts.some((each) => each.verdict === one)) ?? 'unmatched';
  const telling = verdicts.filter((each) => each.verdict === verdict);
  return { verdict, roleIds: [...new Set(telling.flatMap(({ roleIds }) => roleIds))] };
}

async function memberStateOf(guild: Guild, chatUserId: string, known: RanksRead | undefined): Promise<MemberState> {
  try {
    return await readMemberState(guild, chatUserId, { fresh: false, known });
  } catch (error) {
    if (!(error instanceof GamePlatformUnavailable)) throw error;
    return memberStateWithoutGame(guild, chatUserId);
  }
}
