import { systemActor } from '../../core/actors/actor.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { AppError } from '../../lib/errors.js';
import { logger } from '../../lib/logger.js';
import type { HeldRoles } from '../../platforms/roblox/held-roles.js';
import { keepMemberships } from '../../platforms/roblox/memberships.js';
import { enqueueSync } from '../members/member-service.js';
import { syncMember } from '../sync/member/member-sync.js';
import type { RankChange } from './rank-change-model.js';
import { closeChange } from './rank-change-store.js';

/** The result for the member's roles on Discord. `nobody`: the account is linked to no member here. */
export type Followed = 'done' | 'later' | 'nobody';

/**
 * Brings the member in step with their ranks after the change. A `reading` of the change itself spares one of Roblox
 * (RANKING-11), and their pages show the new rank immediately (RANKING-30). Never throws for a platform: the change has
 * been made, and the sync stays pending.
 */
export async function followRank(
  guild: Guild,
  change: RankChange,
  reading?: { held: HeldRoles; readAt: Date },
): Promise<Followed> {
  const { guildId, chatUserId, groupId, gameUserId } = change;
  if (reading !== undefined) keepMemberships(gameUserId, reading.held, reading.readAt);
  if (chatUserId === undefined) return 'nobody';
  const ranksRead = reading && { gameUserId, groupId, ...reading };
  const actor = systemActor('rank_change');
  const cause = { trigger: 'rank_change' as const, actor, ifLinked: true as const, ...(ranksRead && { ranksRead }) };
  const { followed, isPending } = await syncMember(guild, chatUserId, cause).then(
    ({ state }) => ({ followed: state === 'done' ? ('done' as const) : ('later' as const), isPending: true }),
    (error: unknown) => {
      logger[error instanceof AppError ? 'info' : 'error'](
        { err: error, guildId, chatUserId },
        'sync after a rank failed',
      );
      return { followed: 'later' as const, isPending: !(error instanceof AppError && error.code === 'busy') };
    },
  );
  if (!isPending) await enqueueSync(guildId, chatUserId, 'rank_change');
  await closeChange(change);
  return followed;
}
