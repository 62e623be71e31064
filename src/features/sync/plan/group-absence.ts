import { groupIdsOfTemplate } from '../../../core/settings/nickname-template.js';
import { groupIdsOfRestrictions } from '../../../core/settings/restrictions.js';
import { GamePlatformUnavailable } from '../../../lib/errors.js';
import { readAgain } from '../../../platforms/roblox/second-reading.js';
import { groupIdsDenied, groupIdsOf, traitConditionsOf } from '../../mappings/condition.js';
import { groupIdsNamed } from '../../mappings/mapping-draft.js';
import { type GuildRules, missingGroups } from './guild-rules.js';
import { type MemberState, undecided } from './member-state.js';
import type { SyncPlan } from './plan.js';

/**
 * Reads a person's groups a second time, by Roblox's other interfaces, before a plan takes or gives roles or changes
 * the nickname for a missing group or a lower rank (SYNC-6). A well-formed answer can be wrong, and a group may have
 * been deleted since it was last read. Roblox's answer to a change of a rank is such a reading (RANKING-12). Returns
 * the member's state with the deleted groups. Throws
 * GamePlatformUnavailable if Roblox contradicts itself.
 */
export async function confirmAbsences(memberState: MemberState, plan: SyncPlan): Promise<MemberState> {
  const { game, ranks, gone, missing } = memberState;
  const losing = groupsBehind({ ...plan, nickname: undefined }, memberState);
  const absent = groupsBehind(plan, memberState).filter((groupId) => !ranks.has(groupId));
  const atStake = [...new Set([...losing, ...absent])].filter((groupId) => groupId !== memberState.toldGroupId);
  if (game === null || atStake.length === 0) return memberState;
  const [opinion, groupsGone] = await Promise.all([
    // A gone account was read twice already, and certainly has no ranks.
    gone ? 'agrees' : readAgain(game.gameUserId, atStake, ranks),
    missingGroups(atStake, { fresh: true }),
  ]);
  if (opinion === 'unknown') return undecided(memberState);
  if (opinion === 'contradicts') {
    throw new GamePlatformUnavailable('Roblox contradicts itself about the groups of this person.');
  }
  return { ...memberState, missing: new Set([...missing, ...groupsGone]) };
}

/** Whether a plan takes a role because of a trait that the account lacks. Traits may change any day. Pure. */
export function restsOnTraits(
  { remove }: Pick<SyncPlan, 'remove'>,
  { mappings }: Pick<GuildRules, 'mappings'>,
): boolean {
  const atStake = mappings.filter(({ roleIds }) => roleIds.some((roleId) => remove.includes(roleId)));
  return traitConditionsOf(atStake.map(({ condition }) => condition)).some(({ type }) => type !== 'account_age');
}

/** The roles in a plan that are given since the person is outside a group, or below a rank. Pure. */
export function gainsByAbsence(
  { add }: Pick<SyncPlan, 'add'>,
  { mappings, settings }: Pick<GuildRules, 'mappings' | 'settings'>,
): string[] {
  if (settings.restrictions.deniedGroupIds.length > 0) return add;
  const denying = mappings.filter(({ condition }) => groupIdsDenied(condition).length > 0);
  return add.filter((roleId) => denying.some(({ roleIds }) => roleIds.includes(roleId)));
}

/** The groups behind the losses in a plan, and behind the gains for being outside one. Pure. */
export function groupsBehind(
  plan: Pick<SyncPlan, 'add' | 'remove' | 'nickname' | 'kick'>,
  { mappings, settings, naming }: Pick<GuildRules, 'mappings' | 'settings' | 'naming'>,
): string[] {
  const { add, remove, nickname, kick } = plan;
  const among = (roles: readonly string[]) =>
    mappings.filter(({ roleIds }) => roleIds.some((roleId) => roles.includes(roleId)));
  const taking = among(remove).flatMap(({ condition }) => groupIdsOf(condition));
  const giving = among(add).flatMap(({ condition }) => groupIdsDenied(condition));
  const { deniedGroupIds } = settings.restrictions;
  const isLoss = remove.length > 0 || kick !== undefined;
  const past = add.length > 0 || (nickname !== undefined && naming.length > 0) ? deniedGroupIds : [];
  const restricting = isLoss ? groupIdsOfRestrictions(settings.restrictions) : past;
  const shown = [...groupIdsOfTemplate(settings.nickname.template), ...naming.flatMap(groupIdsNamed)];
  const ofNickname = nickname === undefined ? [] : shown;
  return [...new Set([...taking, ...giving, ...restricting, ...ofNickname])];
}
