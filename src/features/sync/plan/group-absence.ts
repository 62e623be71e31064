import { groupIdsOfTemplate } from '../../../core/settings/nickname-template.js';
import { groupIdsOfRestrictions } from '../../../core/settings/restrictions.js';
import { GamePlatformUnavailable } from '../../../lib/errors.js';
import { readAgain } from '../../../platforms/roblox/second-reading.js';
import { groupIdsOf, traitConditionsOf } from '../../mappings/condition.js';
import { groupIdsNamed } from '../../mappings/mapping-draft.js';
import { type GuildRules, missingGroups } from './guild-rules.js';
import { type MemberState, undecided } from './member-state.js';
import type { SyncPlan } from './plan.js';

/**
 * Reads a person's groups a second time, by other interfaces of Roblox, before a plan takes roles or changes the
 * nickname because of a left group or a lower rank (SYNC-8). A well-formed answer can be wrong, and a group may have
 * been deleted since it was last read. Returns the member's state with the deleted groups. Throws
 * GamePlatformUnavailable if Roblox contradicts itself.
 */
export async function confirmAbsences(standing: MemberState, plan: SyncPlan): Promise<MemberState> {
  const { game, ranks, gone, missing } = standing;
  const losing = groupsBehind({ ...plan, nickname: undefined }, standing);
  const absent = groupsBehind(plan, standing).filter((groupId) => !ranks.has(groupId));
  const atStake = [...new Set([...losing, ...absent])];
  if (game === null || atStake.length === 0) return standing;
  const [opinion, groupsGone] = await Promise.all([
    // A gone account was read twice already, and certainly has no ranks.
    gone ? 'agrees' : readAgain(game.gameUserId, atStake, ranks),
    missingGroups(atStake, { fresh: true }),
  ]);
  if (opinion === 'unknown') return undecided(standing);
  if (opinion === 'contradicts') {
    throw new GamePlatformUnavailable('Roblox contradicts itself about the groups of this person.');
  }
  return { ...standing, missing: new Set([...missing, ...groupsGone]) };
}

/** Whether a plan takes a role because of a trait that the account lacks. Traits may change any day. Pure. */
export function restsOnTraits(
  { remove }: Pick<SyncPlan, 'remove'>,
  { mappings }: Pick<GuildRules, 'mappings'>,
): boolean {
  const atStake = mappings.filter(({ roleIds }) => roleIds.some((roleId) => remove.includes(roleId)));
  return traitConditionsOf(atStake.map(({ condition }) => condition)).some(({ type }) => type !== 'account_age');
}

/** The groups behind the losses in a plan. Pure. */
export function groupsBehind(
  { remove, nickname, kick }: Pick<SyncPlan, 'remove' | 'nickname' | 'kick'>,
  { mappings, settings, naming }: Pick<GuildRules, 'mappings' | 'settings' | 'naming'>,
): string[] {
  const atStake = mappings.filter(({ roleIds }) => roleIds.some((roleId) => remove.includes(roleId)));
  const isLoss = remove.length > 0 || kick !== undefined;
  const restricting = isLoss ? groupIdsOfRestrictions(settings.restrictions) : [];
  const shown = [...groupIdsOfTemplate(settings.nickname.template), ...naming.flatMap(groupIdsNamed)];
  const ofNickname = nickname === undefined ? [] : shown;
  return [...new Set([...atStake.flatMap(({ condition }) => groupIdsOf(condition)), ...restricting, ...ofNickname])];
}
