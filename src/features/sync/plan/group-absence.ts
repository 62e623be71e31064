import { groupIdsOfTemplate } from '../../../core/settings/nickname-template.js';
import { GamePlatformUnavailable } from '../../../lib/errors.js';
import { readPublicMemberships } from '../../../platforms/roblox/public-memberships.js';
import { groupIdsOf } from '../../mappings/condition.js';
import { type GuildRules, missingGroups } from './guild-rules.js';
import type { MemberStanding } from './member-standing.js';
import type { SyncPlan } from './plan.js';

/**
 * Before roles are taken away from a person, or their nickname changes, because they seem not to be in a group: asks
 * Roblox a second time, and another of its interfaces, since an answer can be well-formed and empty by mistake, and a
 * group may have been deleted since it was last looked at (SPEC §6.2). Gives the standing with the groups that are gone.
 * Throws GamePlatformUnavailable when Roblox contradicts itself.
 */
export async function confirmAbsences(standing: MemberStanding, plan: SyncPlan): Promise<MemberStanding> {
  const { game, ranks } = standing;
  const absent = groupsBehind(plan, standing).filter((groupId) => !ranks.has(groupId));
  if (game === null || absent.length === 0) return standing;
  const [held, gone] = await Promise.all([
    readPublicMemberships(game.gameUserId),
    missingGroups(absent, { fresh: true }),
  ]);
  if (held === null || absent.some((groupId) => held.has(groupId))) {
    throw new GamePlatformUnavailable('Roblox contradicts itself about the groups of this person.');
  }
  return { ...standing, missing: new Set([...standing.missing, ...gone]) };
}

/** The groups that have to do with what a plan takes away. Pure. */
export function groupsBehind(
  { remove, nickname }: Pick<SyncPlan, 'remove' | 'nickname'>,
  { mappings, settings }: Pick<GuildRules, 'mappings' | 'settings'>,
): string[] {
  const atStake = mappings.filter(({ roleIds }) => roleIds.some((roleId) => remove.includes(roleId)));
  const ofNickname = nickname === undefined ? [] : groupIdsOfTemplate(settings.nickname.template);
  return [...new Set([...atStake.flatMap(({ condition }) => groupIdsOf(condition)), ...ofNickname])];
}
