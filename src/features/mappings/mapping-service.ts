import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../core/actors/actor.js';
import type { LinkedGroup } from '../../core/groups/group-model.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { plans } from '../../core/plans/plans.js';
import { clock } from '../../lib/clock.js';
import type { Page, PageQuery } from '../../lib/cursor.js';
import { NotFound, PlanLimitReached } from '../../lib/errors.js';
import { newId } from '../../lib/ids.js';
import { withLease } from '../../platforms/database/lease.js';
import { type DiscordRole, type GuildFacts, readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { groupIdsOf } from './condition.js';
import { recordCreated, recordRemoved, recordUpdated } from './mapping-audit.js';
import type { MappingDraft } from './mapping-draft.js';
import { type Mapping, Mappings } from './mapping-model.js';
import { requireManageable, requireMayHandOut, requireMeaningful, requireRolesBelow } from './mapping-rules.js';

export type { Mapping } from './mapping-model.js';

/** Many who ask at once wait for one another, and each may have to wait for Roblox to tell of a group's roles. */
const leaseWaitMs = 30_000;

/** How a mapping is asked for: over Discord with the highest role of the person who asks (SPEC §2). */
export interface MappingWish {
  actorHighestRole?: DiscordRole;
}

/** A page of a guild's mappings by id, and so by age to the second. */
export function listMappings(guildId: string, query: PageQuery): Promise<Page<Mapping>> {
  return Mappings.page({ guildId }, query, '_id');
}

/** The mappings that are switched on, oldest first. Which of them the guild's plan lets work says `partByPlanOf`. */
export function enabledMappings(guildId: string): Promise<Mapping[]> {
  return Mappings.find({ guildId, enabled: true }, { sort: { createdAt: 1, _id: 1 } });
}

/** All mappings of a guild, enabled or not: no more than its plan allows, or once did. */
export function listAllMappings(guildId: string): Promise<Mapping[]> {
  return Mappings.find({ guildId }, { sort: { _id: 1 } });
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
  return withLease(`mappings:${guildId}`, work, { waitMs: leaseWaitMs });
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
    const now = clock.now();
    return Mappings.insert({ _id: newId('map', now), guildId: guild._id, ...draft, createdAt: now, updatedAt: now });
  });
  await recordCreated(actor, mapping);
  return mapping;
}

/**
 * Adds several mappings, all or none, but for those that the guild has already (`ruleKey`). Throws as `createMapping`
 * does. They are stored in one go, yet not in one write: what a crash leaves out is added by asking once more.
 */
export async function createMappings(guild: Guild, actor: Actor, drafts: readonly MappingDraft[]): Promise<Mapping[]> {
  const facts = await readGuildFacts(guild._id);
  const created = await withMappingsLease(guild._id, async () => {
    const there = new Set((await listAllMappings(guild._id)).map(ruleKey));
    const wanted = drafts.filter((draft) => !there.has(ruleKey(draft)));
    for (const draft of wanted) await requireAllowed(facts, actor, draft, {});
    await requireRoom(guild, wanted.length);
    const now = clock.now();
    const stamps = { guildId: guild._id, createdAt: now, updatedAt: now };
    return Mappings.insertAll(wanted.map((draft) => ({ _id: newId('map', now), ...stamps, ...draft })));
  });
  for (const mapping of created) await recordCreated(actor, mapping);
  return created;
}

/** Equal for two mappings that do the same, whatever they are called and whether they are switched on. Pure. */
export function ruleKey({ condition, roleIds, removeWhenUnmatched }: MappingDraft | Mapping): string {
  return JSON.stringify([condition, [...roleIds].sort(), removeWhenUnmatched]);
}

/**
 * Throws whatever `createMapping` would refuse a draft with now, but for the plan's limit. `groups`: those that the
 * guild has attached, or is about to attach.
 */
export function requireCreatable(
  facts: GuildFacts,
  actor: Actor,
  draft: MappingDraft,
  groups: readonly LinkedGroup[],
): Promise<void> {
  return requireAllowed(facts, actor, draft, { groups });
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
    const after = await Mappings.update(mine, { $set: { ...draft, updatedAt: clock.now() } });
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
  { actorHighestRole, groups }: MappingWish & { groups?: readonly LinkedGroup[] },
  before?: Mapping,
): Promise<void> {
  const { roleIds, condition } = draft;
  requireMayHandOut(facts, actor, roleIds);
  if (actorHighestRole) requireRolesBelow(facts, { chatUserId: actor.id, highestRole: actorHighestRole }, roleIds);
  requireManageable(
    facts,
    roleIds.filter((roleId) => !before?.roleIds.includes(roleId)),
  );
  if (!isDeepStrictEqual(condition, before?.condition)) await requireMeaningful(facts.guildId, condition, groups);
}

async function requireRoom(guild: Guild, wanted = 1): Promise<void> {
  const { _id: guildId, plan } = guild;
  const limit = plans[plan].mappings;
  if (wanted === 0 || (await Mappings.count({ guildId })) + wanted <= limit) return;
  throw new PlanLimitReached(`The plan ${plan} allows ${limit} mappings.`, { resource: 'mappings', limit, plan });
}

const mappingNotFound = (): NotFound => new NotFound('mapping_not_found', 'There is no such mapping in this guild.');
