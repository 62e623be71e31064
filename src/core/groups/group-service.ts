import { isDeepStrictEqual } from 'node:util';
import { clock } from '../../lib/clock.js';
import type { Page, PageQuery } from '../../lib/cursor.js';
import { AppError, Conflict, InvalidRequest, NotFound, PlanLimitReached } from '../../lib/errors.js';
import { withLease } from '../../platforms/database/lease.js';
import { parseGameGroupReference } from '../../platforms/roblox/game-groups.js';
import { checkGroup } from '../../platforms/roblox/group-checks.js';
import type { Actor } from '../actors/actor.js';
import { enterLog, type NewEntry, newEntry } from '../audit/audit-service.js';
import type { Guild } from '../guilds/guild-service.js';
import { plans } from '../plans/plans.js';
import { type LinkedGroup, LinkedGroups } from './group-model.js';
import { forgetRankingRules, keepRankingRules, keptRankingRules } from './kept-ranking-rules.js';
import { copyOf, refreshedForDisplay } from './linked-groups.js';

export type { LinkedGroup } from './group-model.js';
export { findGroups } from './linked-groups.js';

/** A page with a guild's groups by id, each refreshed for display. */
export async function listGroups(guildId: string, query: PageQuery): Promise<Page<LinkedGroup>> {
  const order = { field: 'groupId', hint: { guildId: 1, groupId: 1 } } as const;
  const { data, nextCursor } = await LinkedGroups.page({ guildId }, query, order);
  return { data: await Promise.all(data.map(refreshedForDisplay)), nextCursor };
}

/** A guild's group, refreshed for display. Throws NotFound `group_not_found`. */
export async function getGroup(guildId: string, groupId: string): Promise<LinkedGroup> {
  const group = await LinkedGroups.findOne({ guildId, groupId });
  if (group === null) throw groupNotFound();
  return refreshedForDisplay(group);
}

export const groupNotFound = (): NotFound => new NotFound('group_not_found', "This group isn't added to this server.");

/**
 * Attaches a Roblox group to a guild by id or page address. Throws InvalidRequest for another value, and AppError
 * `game_group_not_found` (unprocessable) for an unknown group. Throws Conflict `group_exists`, PlanLimitReached,
 * RateLimited, GamePlatformUnavailable.
 */
export async function addGroup(guild: Guild, actor: Actor, reference: string): Promise<LinkedGroup> {
  const groupId = parseGameGroupReference(reference);
  if (groupId === null) throw new InvalidRequest([{ path: 'url', message: 'is not the id or address of a group' }]);
  const game = await checkGroup(guild._id, groupId, { fresh: true });
  if (game === null) throw new AppError('game_group_not_found', `Roblox has no group ${groupId}.`);
  return attach(guild, actor, { guildId: guild._id, groupId, ...copyOf(game), addedAt: clock.now() });
}

/**
 * Attaches a group already read for a change as a whole; an attached one may stay. `leaving`: how many groups the same
 * change detaches later, since the limit applies to the result. Throws PlanLimitReached.
 */
export async function attachPlanned(guild: Guild, actor: Actor, group: LinkedGroup, leaving = 0): Promise<void> {
  try {
    await attach(guild, actor, group, leaving);
  } catch (error) {
    if (!(error instanceof Conflict && error.code === 'group_exists')) throw error;
  }
}

async function attach(guild: Guild, actor: Actor, group: LinkedGroup, leaving = 0): Promise<LinkedGroup> {
  const { guildId, groupId, name } = group;
  const entry = newEntry({ guildId, actor, action: 'group.added', target: { kind: 'group', id: groupId, name } });
  const attached = await withLease(`groups:${guildId}`, async () => {
    await requireNew(guild, groupId, leaving);
    const former = await keptRankingRules(guildId, groupId);
    const inserted = await LinkedGroups.insert({ ...group, ...(former && { ranking: former.rules }), outbox: [entry] });
    // A kill before this leaves a copy that is never read: the next removal replaces it.
    if (former !== null) await forgetRankingRules(guildId, former);
    return inserted;
  });
  await enterLog(entry);
  return attached;
}

/**
 * Detaches a group from its guild, and keeps its rules for ranking for the next time (RANKING-4). Returns whether it was
 * attached. Throws Conflict `busy`.
 */
export const detachGroup = (group: LinkedGroup, entry: NewEntry): Promise<boolean> =>
  withLease(`groups:${group.guildId}`, async () => {
    const { guildId, groupId, ranking } = group;
    await keepRankingRules(group);
    const removed = await LinkedGroups.remove({ guildId, groupId }, entry);
    if (removed === null) return false;
    // They may have been replaced since the group was read.
    if (!isDeepStrictEqual(removed.ranking, ranking)) await keepRankingRules(removed);
    return true;
  });

/** Runs under the lease for the guild's groups, so concurrent additions are counted one by one. */
async function requireNew({ _id: guildId, plan }: Guild, groupId: string, leaving: number): Promise<void> {
  const there = await LinkedGroups.findOne({ guildId, groupId });
  if (there !== null) throw new Conflict('group_exists', `The group ${there.name} is already added.`);
  const limit = plans[plan].groups;
  if ((await LinkedGroups.count({ guildId })) - leaving >= limit) {
    throw new PlanLimitReached(`The plan ${plan} allows ${limit} groups.`, { resource: 'groups', limit, plan });
  }
}
