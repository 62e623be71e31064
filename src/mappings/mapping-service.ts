import { isDeepStrictEqual } from 'node:util';
import { trusted } from 'mongoose';
import { z } from 'zod';
import type { Actor } from '../auth/actor.js';
import { plans } from '../billing/plans.js';
import { withLease } from '../database/lease.js';
import { type DiscordRole, type GuildFacts, readGuildFacts } from '../discord/guild-facts.js';
import type { Guild } from '../guilds/guild-service.js';
import { decodeCursor, type Page, pageOf } from '../lib/cursor.js';
import { NotFound, PlanLimitReached } from '../lib/errors.js';
import { newId } from '../lib/ids.js';
import { groupIdsOf } from './condition.js';
import { recordCreated, recordRemoved, recordUpdated } from './mapping-audit.js';
import type { MappingDraft } from './mapping-draft.js';
import { type Mapping, Mappings } from './mapping-model.js';
import { requireManageable, requireMayHandOut, requireMeaningful, requireRolesBelow } from './mapping-rules.js';

export type { Mapping } from './mapping-model.js';

/** How a mapping is asked for: over Discord with the highest role of the person who asks (SPEC §2). */
export interface MappingWish {
  actorHighestRole?: DiscordRole;
}

/** A page of a guild's mappings by id, and so by age to the second. */
export async function listMappings(
  guildId: string,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<Page<Mapping>> {
  const after = decodeCursor(z.string(), cursor) ?? '';
  const behind = { guildId, _id: trusted({ $gt: after }) };
  const found = await Mappings.find(behind, { sort: { _id: 1 }, limit: limit + 1 });
  return pageOf(found, limit, (mapping) => mapping._id);
}

/** The mappings by which members of a guild are synced. */
export function enabledMappings(guildId: string): Promise<Mapping[]> {
  return Mappings.find({ guildId, enabled: true }, { sort: { _id: 1 } });
}

/** The mappings, enabled or not, whose conditions name a group. */
export async function mappingsOfGroup(guildId: string, groupId: string): Promise<Mapping[]> {
  const all = await Mappings.find({ guildId }, { sort: { _id: 1 } });
  return all.filter((mapping) => groupIdsOf(mapping.condition).includes(groupId));
}

/**
 * Keeps a guild's mappings and the groups that they name together: what counts them, adds to them or detaches a group
 * runs under this lease. Throws Conflict `busy`.
 */
export function withMappingsLease<T>(guildId: string, work: () => Promise<T>): Promise<T> {
  return withLease(`mappings:${guildId}`, work);
}

/**
 * Adds a mapping. Throws Forbidden for roles that the actor may not hand out, Conflict `role_unmanageable` for those
 * that the bot can't, InvalidRequest for groups and game roles that are not there, PlanLimitReached,
 * ChatPlatformUnavailable, GamePlatformUnavailable.
 */
export async function createMapping(
  guild: Guild,
  actor: Actor,
  draft: MappingDraft,
  wish: MappingWish = {},
): Promise<Mapping> {
  const facts = await readGuildFacts(guild._id);
  const mapping = await withMappingsLease(guild._id, async () => {
    await requireAllowed(facts, actor, draft, wish);
    await requireRoom(guild);
    const now = new Date();
    return Mappings.insert({ _id: newId('map', now), guildId: guild._id, ...draft, createdAt: now, updatedAt: now });
  });
  await recordCreated(actor, mapping);
  return mapping;
}

/**
 * Replaces a mapping as a whole. Throws as `createMapping` does, and NotFound `mapping_not_found`. A condition or role
 * that it has already may stay, whatever became of it since, so that a broken mapping can be mended or turned off.
 */
export async function updateMapping(
  guild: Guild,
  actor: Actor,
  mappingId: string,
  draft: MappingDraft,
  wish: MappingWish = {},
): Promise<Mapping> {
  const mine = { _id: mappingId, guildId: guild._id };
  const facts = await readGuildFacts(guild._id);
  const { before, after } = await withMappingsLease(guild._id, async () => {
    const before = await Mappings.findOne(mine);
    if (before === null) throw mappingNotFound();
    await requireAllowed(facts, actor, draft, wish, before);
    if (isDeepStrictEqual({ ...before, ...draft }, before)) return { before, after: before };
    const after = await Mappings.update(mine, { $set: { ...draft, updatedAt: new Date() } });
    return { before, after };
  });
  if (after === null) throw mappingNotFound();
  if (after !== before) await recordUpdated(actor, before, after);
  return after;
}

/** Removes a mapping. Members keep the roles that they have by it. Throws NotFound `mapping_not_found`. */
export async function removeMapping(guild: Guild, actor: Actor, mappingId: string): Promise<void> {
  const removed = await Mappings.remove({ _id: mappingId, guildId: guild._id });
  if (removed === null) throw mappingNotFound();
  await recordRemoved(actor, removed);
}

/** Removes every mapping whose condition names a group. For the removal of the group, under its lease. */
export async function removeMappingsOfGroup(guild: Guild, actor: Actor, groupId: string): Promise<void> {
  for (const { _id } of await mappingsOfGroup(guild._id, groupId)) {
    const removed = await Mappings.remove({ _id, guildId: guild._id });
    if (removed !== null) await recordRemoved(actor, removed);
  }
}

/** Permissions are asked of every role in the draft, existence only of what it brings in. */
async function requireAllowed(
  facts: GuildFacts,
  actor: Actor,
  draft: MappingDraft,
  { actorHighestRole }: MappingWish,
  before?: Mapping,
): Promise<void> {
  const { roleIds, condition } = draft;
  requireMayHandOut(facts, actor, roleIds);
  if (actorHighestRole) requireRolesBelow(facts, { chatUserId: actor.id, highestRole: actorHighestRole }, roleIds);
  requireManageable(
    facts,
    roleIds.filter((roleId) => !before?.roleIds.includes(roleId)),
  );
  if (!isDeepStrictEqual(condition, before?.condition)) await requireMeaningful(facts.guildId, condition);
}

async function requireRoom({ _id: guildId, plan }: Guild): Promise<void> {
  const limit = plans[plan].mappings;
  if ((await Mappings.count({ guildId })) < limit) return;
  throw new PlanLimitReached(`The plan ${plan} allows ${limit} mappings.`, { resource: 'mappings', limit, plan });
}

const mappingNotFound = (): NotFound => new NotFound('mapping_not_found', 'There is no such mapping in this guild.');
