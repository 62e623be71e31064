import type { Actor } from '../../../core/actors/actor.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { restrictionRule } from '../../../core/settings/restrictions.js';
import { confirmRestrictions } from '../../../core/settings/settings-change.js';
import type { VersionedSettings } from '../../../core/settings/settings-service.js';
import { enqueueBlocked, findBlocked } from '../../members/blocked-syncs.js';
import { obstacleOfRestriction } from '../plan/plan.js';

const obstacles = restrictionRule.options.map(obstacleOfRestriction);

/** So many are named. */
const mostNamed = 20;

/** Whom restrictions spare until the owner confirms them, as their last syncs found: how many, and the first of them. */
export async function findSpared(
  guildId: string,
  { restrictionsCeiling }: Pick<VersionedSettings, 'restrictionsCeiling'>,
): Promise<{ count: number; chatUserIds: string[] }> {
  if (restrictionsCeiling === null) return { count: 0, chatUserIds: [] };
  return findBlocked(guildId, obstacles, mostNamed);
}

/**
 * Lets the restrictions hold for people above their writer too, and owes a sync to whom they spared; what a crash leaves out
 * the daily catch-up does. Throws as `confirmRestrictions` does.
 */
export async function confirmSpared(
  guild: Guild,
  actor: Actor,
  onlyIf: (tag: string) => boolean,
): Promise<VersionedSettings> {
  const confirmed = await confirmRestrictions(guild, actor, onlyIf);
  await enqueueBlocked(guild._id, obstacles);
  return confirmed;
}
