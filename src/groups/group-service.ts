import { trusted } from 'mongoose';
import { z } from 'zod';
import { recordAudit } from '../audit/audit-service.js';
import type { Actor } from '../auth/actor.js';
import { plans } from '../billing/plans.js';
import { withLease } from '../database/lease.js';
import type { Guild } from '../guilds/guild-service.js';
import { decodeCursor, type Page, pageOf } from '../lib/cursor.js';
import { AppError, Conflict, InvalidRequest, NotFound, PlanLimitReached } from '../lib/errors.js';
import { mappingsOfGroup, removeMappingsOfGroup, withMappingsLease } from '../mappings/mapping-service.js';
import { parseGameGroupReference, readGameGroup } from '../roblox/game-groups.js';
import { type LinkedGroup, LinkedGroups } from './group-model.js';
import { copyOf, refreshedForDisplay } from './linked-groups.js';

export type { LinkedGroup } from './group-model.js';
export { findGroups } from './linked-groups.js';

/** A page of the groups that a guild has attached, by id, each refreshed for display. */
export async function listGroups(
  guildId: string,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<Page<LinkedGroup>> {
  const after = decodeCursor(z.string(), cursor) ?? '';
  const behind = { guildId, groupId: trusted({ $gt: after }) };
  const found = await LinkedGroups.find(behind, { sort: { groupId: 1 }, limit: limit + 1 });
  const { data, nextCursor } = pageOf(found, limit, (group) => group.groupId);
  return { data: await Promise.all(data.map(refreshedForDisplay)), nextCursor };
}

/**
 * Attaches a Roblox group, given by its id or the address of its page, to a guild.
 * Throws InvalidRequest for what is neither, AppError `game_group_not_found` (unprocessable) for a group that Roblox
 * does not know, Conflict `group_exists`, PlanLimitReached, GamePlatformUnavailable.
 */
export async function addGroup(guild: Guild, actor: Actor, reference: string): Promise<LinkedGroup> {
  const groupId = parseGameGroupReference(reference);
  if (groupId === null) throw new InvalidRequest([{ path: 'url', message: 'is not the id or address of a group' }]);
  const game = await readGameGroup(groupId, { fresh: true });
  if (game === null) throw new AppError('unprocessable', 'game_group_not_found', `Roblox has no group ${groupId}.`);
  const group = await withLease(`groups:${guild._id}`, async () => {
    await requireNew(guild, groupId);
    return LinkedGroups.insert({ guildId: guild._id, groupId, ...copyOf(game), addedAt: new Date() });
  });
  const target = { kind: 'group', id: groupId, name: group.name };
  await recordAudit({ guildId: guild._id, actor, action: 'group.added', target });
  return group;
}

/** Runs under the lease of the guild's groups, so that those who add at once are counted one after the other. */
async function requireNew({ _id: guildId, plan }: Guild, groupId: string): Promise<void> {
  const there = await LinkedGroups.findOne({ guildId, groupId });
  if (there !== null) throw new Conflict('group_exists', `The group ${there.name} is attached already.`);
  const limit = plans[plan].groups;
  if ((await LinkedGroups.count({ guildId })) >= limit) {
    throw new PlanLimitReached(`The plan ${plan} allows ${limit} groups.`, { resource: 'groups', limit, plan });
  }
}

/**
 * Detaches a group from a guild. With `cascade` the mappings whose conditions name it go too, each with its own audit
 * entry. Throws NotFound `group_not_found`, and without `cascade` Conflict `group_in_use`, which names those mappings.
 */
export async function removeGroup(
  guild: Guild,
  actor: Actor,
  groupId: string,
  { cascade = false }: { cascade?: boolean } = {},
): Promise<void> {
  const guildId = guild._id;
  const removed = await withMappingsLease(guildId, async () => {
    const group = await LinkedGroups.findOne({ guildId, groupId });
    if (group === null) throw groupNotFound();
    if (cascade) await removeMappingsOfGroup(guild, actor, groupId);
    else await requireUnused(group);
    return LinkedGroups.remove({ guildId, groupId });
  });
  if (removed === null) throw groupNotFound();
  const target = { kind: 'group', id: groupId, name: removed.name };
  await recordAudit({ guildId, actor, action: 'group.removed', target });
}

async function requireUnused({ guildId, groupId, name }: LinkedGroup): Promise<void> {
  const users = await mappingsOfGroup(guildId, groupId);
  if (users.length === 0) return;
  const named = users.map((mapping) => (mapping.name === null ? mapping._id : `${mapping.name} (${mapping._id})`));
  throw new Conflict('group_in_use', `The group ${name} is used by mappings: ${named.join(', ')}.`, {
    mappingIds: users.map((mapping) => mapping._id),
  });
}

const groupNotFound = (): NotFound => new NotFound('group_not_found', 'This group is not attached to the guild.');
