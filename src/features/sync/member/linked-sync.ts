import type { Guild } from '../../../core/guilds/guild-service.js';
import type { AppError } from '../../../lib/errors.js';
import { linkAtOnce } from '../../accounts/missing-links.js';
import type { SyncCause } from './member-change.js';
import { syncMember } from './member-sync.js';
import { notLinked, requireThere, type SyncOutcome } from './sync-result.js';

/**
 * Syncs a member. A member without a link is linked first, if `linkAtOnce` may. `ifUnknown` makes the error for a person
 * unknown to the guild without an account; without it they are synced like the rest. Throws as `syncMember` does, and NotFound
 * `member_not_found` if they are not in the guild.
 */
export async function linkAndSync(
  guild: Guild,
  chatUserId: string,
  cause: SyncCause,
  { ifUnknown }: { ifUnknown?: () => AppError } = {},
): Promise<SyncOutcome> {
  // Most are linked, and the sync reads that under its lease.
  const synced = await syncMember(guild, chatUserId, { ...cause, ifLinked: true });
  if (synced !== notLinked) return requireThere(synced);
  const member = await linkAtOnce(guild._id, chatUserId);
  if (member === null && ifUnknown !== undefined) throw ifUnknown();
  return requireThere(await syncMember(guild, chatUserId, cause));
}
