import type { Actor } from '../../../core/actors/actor.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { restrictionRule } from '../../../core/settings/restrictions.js';
import { confirmRestrictions } from '../../../core/settings/settings-change.js';
import type { VersionedSettings } from '../../../core/settings/settings-service.js';
import { type BlockedCount, enqueueBlocked, findBlocked } from '../../members/blocked-syncs.js';
import { leftOutItself } from '../../members/left-out.js';
import { countRefusalsAndBlocked, type RefusalCount } from '../../members/refusal-counts.js';
import { heldRemoval, obstacleOfRestriction, obstacleOfWord } from '../plan/plan.js';
import { refusals } from '../plan/refused-parts.js';

const obstacles = restrictionRule.options.map(obstacleOfRestriction);

const mostNamed = 20;

/**
 * Members that restrictions spare until the owner confirms them, by their last syncs: the count, and the first ones.
 */
export async function findSpared(
  guildId: string,
  { restrictionsCeiling }: Pick<VersionedSettings, 'restrictionsCeiling'>,
): Promise<BlockedCount> {
  return restrictionsCeiling === null ? nobody : findBlocked(guildId, obstacles, mostNamed);
}

const nobody: BlockedCount = { count: 0, chatUserIds: [] };

/**
 * Discord's refusals for a guild's members, the spared members, as `findSpared` returns them, those whose removals wait
 * for an admin, those with roles beyond their link's word, and those left out.
 */
export async function readRefusedAndSpared(guildId: string): Promise<{
  refused: RefusalCount[];
  byWord: BlockedCount;
  sparedBy(versioned: Pick<VersionedSettings, 'restrictionsCeiling'>): BlockedCount;
  held: BlockedCount;
  leftOut: BlockedCount;
}> {
  const wanted = {
    refusals,
    obstacles: { spared: obstacles, held: [heldRemoval], word: [obstacleOfWord], out: [leftOutItself] },
    limit: mostNamed,
  };
  const { refused, blocked } = await countRefusalsAndBlocked(guildId, wanted);
  const spared = blocked('spared');
  const sparedBy = ({ restrictionsCeiling }: Pick<VersionedSettings, 'restrictionsCeiling'>) =>
    restrictionsCeiling === null ? nobody : spared;
  return { refused, sparedBy, held: blocked('held'), byWord: blocked('word'), leftOut: blocked('out') };
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
