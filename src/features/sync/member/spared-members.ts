import type { Actor } from '../../../core/actors/actor.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { restrictionRule } from '../../../core/settings/restrictions.js';
import { confirmRestrictions } from '../../../core/settings/settings-change.js';
import type { VersionedSettings } from '../../../core/settings/settings-service.js';
import { enqueueBlocked, findBlocked } from '../../members/blocked-syncs.js';
import { obstacleOfRestriction } from '../plan/plan.js';

const obstacles = restrictionRule.options.map(obstacleOfRestriction);

const mostNamed = 20;

/**
 * Members that restrictions spare until the owner confirms them, by their last syncs: the number, and the first of
 * them.
 */
export async function findSpared(
  guildId: string,
  { restrictionsCeiling }: Pick<VersionedSettings, 'restrictionsCeiling'>,
): Promise<{ count: number; chatUserIds: string[] }> {
  if (restrictionsCeiling === null) return { count: 0, chatUserIds: [] };
  return findBlocked(guildId, obstacles, mostNamed);
}

/**
 * Confirms the restrictions for people above their writer too, and enqueues a sync for each spared member. The daily
 * reconciliation completes work that a crash left out. Throws as `confirmRestrictions` does.
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
