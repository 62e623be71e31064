import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../core/actors/actor.js';
import { holds } from '../../core/actors/team-roles.js';
import { enterLog, type NewEntry } from '../../core/audit/audit-service.js';
import type { LinkedGroup } from '../../core/groups/group-model.js';
import { findGroups, refreshForCheck } from '../../core/groups/linked-groups.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { plans } from '../../core/plans/plans.js';
import { clock } from '../../lib/clock.js';
import { anyVersion, entityTagOf, nextUpdate } from '../../lib/entity-tag.js';
import { NotFound, PlanLimitReached, VersionMismatch } from '../../lib/errors.js';
import { newId } from '../../lib/ids.js';
import { SingleFlight } from '../../lib/single-flight.js';
import { updateDirectly } from '../../platforms/database/direct-writes.js';
import { withLease } from '../../platforms/database/lease.js';
import { readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { push } from '../../platforms/events/outbox.js';
import { mappedRolesMayDiffer } from './mapped-role-job.js';
import { entryOfCreation, entryOfRemoval, entryOfUpdate } from './mapping-audit.js';
import { draftOf, groupIdsNamed, type MappingDraft } from './mapping-draft.js';
import { type Mapping, Mappings } from './mapping-model.js';
import { judgeDraft, type Mapper, mapperOf, type Snapshot, throwFirst } from './mapping-rules.js';
import { roleWarnings } from './mapping-status.js';
import { byAge, type MappingsSnapshot, readAllMappings, readStoredSnapshot } from './mappings-snapshot.js';
import { mapsWholeGroup, type RoleNames, rolesGiven } from './whole-group.js';

export type { Mapping } from './mapping-model.js';

/** Many who ask at once wait for one another, and each may have to wait for Roblox to tell of a group's roles. */
const leaseWaitMs = 30_000;

/** The mappings that are switched on, oldest first. Which of them the guild's plan lets work says `partByPlan`. */
export function enabledMappings(guildId: string): Promise<readonly Mapping[]> {
  return mappingsInUse.get(guildId);
}

// Sorted here: an order of its own in the database would take an index that every write costs.
const mappingsInUse = new SingleFlight(async (guildId) =>
  (await readAllMappings(guildId)).filter(({ enabled }) => enabled).sort(byAge),
);

/** The groups that each enabled mapping of any guild names. */
export function groupsOfMappings(): AsyncIterable<{ guildId: string; groupIds: string[] }> {
  return Mappings.acrossGuilds
    .find({ enabled: true }, { guildId: 1, condition: 1, nickname: 1 })
    .lean<Pick<Mapping, 'guildId' | 'condition' | 'nickname'>>()
    .cursor()
    .map((mapping) => ({ guildId: mapping.guildId, groupIds: groupIdsNamed(mapping) }));
}

export { readAllMappings as listAllMappings } from './mappings-snapshot.js';

/** A mapping among those of its guild. Throws NotFound `mapping_not_found`. */
export function mappingIn({ mappings }: Pick<MappingsSnapshot, 'mappings'>, mappingId: string): Mapping {
  const mapping = mappings.find(({ _id }) => _id === mappingId);
  if (mapping === undefined) throw mappingNotFound();
  return mapping;
}

/** The mappings, enabled or not, whose conditions or nicknames name a group. */
export async function mappingsOfGroup(guildId: string, groupId: string): Promise<Mapping[]> {
  const all = await readAllMappings(guildId);
  return all.filter((mapping) => groupIdsNamed(mapping).includes(groupId));
}

/**
 * Keeps a guild's mappings and the groups that they name together: what counts them, adds to them or detaches a group
 * runs under this lease. Throws Conflict `busy`.
 */
export function withMappingsLease<T>(guildId: string, work: () => Promise<T>): Promise<T> {
  return withLease(`mappings:${guildId}`, work, { waitMs: leaseWaitMs });
}

/** A mapping that was just written, and the picture of its guild with it. */
export interface WrittenMapping {
  mapping: Mapping;
  picture: MappingsSnapshot;
}

/**
 * Adds a mapping. Throws Forbidden for roles that the actor may not hand out, Conflict `role_unmanageable` for those
 * that the bot can't, InvalidRequest for roles, groups and game roles that are not there, PlanLimitReached,
 * ChatPlatformUnavailable, GamePlatformUnavailable.
 */
export async function createMapping(guild: Guild, actor: Actor, draft: MappingDraft): Promise<WrittenMapping> {
  const facts = await readGuildFacts(guild._id);
  const mapper = await mapperOf(actor, facts);
  const { entry, ...written } = await withMappingsLease(guild._id, async () => {
    const seen = { ...(await readStoredSnapshot(guild)), facts };
    const groups = await requireWritable(seen, mapper, draft);
    requireRoom(seen, 1);
    const mapping = newMapping({ facts, groups }, mapper, draft, clock.now());
    const entry = entryOfCreation(actor, mapping, groups);
    await Mappings.insert({ ...mapping, outbox: [entry] });
    return { entry, mapping, picture: { ...seen, groups, mappings: [...seen.mappings, mapping] } };
  });
  await enterLog(entry);
  return written;
}

/**
 * Adds several mappings, all or none, but for those that the guild has already (`ruleKey`). `summary`: the entry that
 * tells of all of them, given their number; the last of them carries it. Throws as `createMapping` does. They are stored
 * in one go, yet not in one write: what a crash leaves out is added by asking once more.
 */
export async function createMappings(
  guild: Guild,
  actor: Actor,
  drafts: readonly MappingDraft[],
  summary: (count: number) => NewEntry,
): Promise<Mapping[]> {
  const facts = await readGuildFacts(guild._id);
  const mapper = await mapperOf(actor, facts);
  const { created, entries } = await withMappingsLease(guild._id, async () => {
    const seen = { ...(await readStoredSnapshot(guild)), facts };
    const there = new Set(seen.mappings.map(ruleKey));
    const wanted = drafts.filter((draft) => !there.has(ruleKey(draft)));
    let { groups } = seen;
    for (const draft of wanted) groups = await requireWritable({ facts, groups }, mapper, draft);
    requireRoom(seen, wanted.length);
    const now = clock.now();
    const created = wanted.map((draft) => newMapping({ facts, groups }, mapper, draft, now));
    const outboxes = created.map((mapping) => [entryOfCreation(actor, mapping, groups)]);
    if (created.length > 0) outboxes.at(-1)?.push(summary(created.length));
    await Mappings.insertAll(created.map((mapping, index) => ({ ...mapping, outbox: outboxes[index] ?? [] })));
    return { created, entries: outboxes.flat() };
  });
  await enterLog(...entries);
  return created;
}

function newMapping(names: RoleNames, mapper: Mapper, draft: MappingDraft, now: Date): Mapping {
  const { confirmedDangers, ...limit } = acceptedBy(mapper, draft, names);
  return {
    _id: newId('map', now),
    guildId: names.facts.guildId,
    ...draft,
    ...limit,
    ...(confirmedDangers.length > 0 && { confirmedDangers }),
    createdAt: now,
    updatedAt: now,
  };
}

/**
 * What whoever writes a mapping accepts by that: the dangers of its roles, as far as they may, and for what comes to be
 * called like a rank of a whole group their own highest role (AUTH-42).
 */
function acceptedBy({ role, ceilingRoleId }: Mapper, draft: MappingDraft, names: RoleNames) {
  if (!mapsWholeGroup([draft])) return { confirmedDangers: roleWarnings(draft.roleIds, names.facts) };
  const roleIds = holds(role, 'admin') ? rolesGiven({ ...draft, ceilingRoleId }, names) : [];
  return { confirmedDangers: roleWarnings(roleIds, names.facts), ceilingRoleId };
}

/** Equal for two mappings that do the same, whatever they are called and whether they are switched on. Pure. */
export function ruleKey({ condition, roleIds, removeWhenUnmatched }: MappingDraft | Mapping): string {
  return JSON.stringify([condition, [...roleIds].sort(), removeWhenUnmatched]);
}

/**
 * Replaces a mapping as a whole, if `onlyIf` allows it by its entity tag. Throws as `createMapping` does, NotFound
 * `mapping_not_found`, and VersionMismatch. A condition or role
 * that it has already may stay, whatever became of it since, so that a broken mapping can be mended or turned off. The
 * dangerous permissions that its roles have now are confirmed by it, which takes the role admin as mapping them does.
 */
export async function updateMapping(
  guild: Guild,
  actor: Actor,
  mappingId: string,
  draft: MappingDraft,
  onlyIf = anyVersion,
): Promise<WrittenMapping> {
  const facts = await readGuildFacts(guild._id);
  const mapper = await mapperOf(actor, facts);
  const { entries, confirms, ...written } = await withMappingsLease(guild._id, async () => {
    const seen = { ...(await readStoredSnapshot(guild)), facts };
    const before = mappingIn(seen, mappingId);
    if (!onlyIf(entityTagOf(before))) throw new VersionMismatch();
    const groups = await requireWritable(seen, mapper, draft, before);
    const { confirmedDangers, ...limit } = acceptedBy(mapper, draft, { facts, groups });
    const confirms = !isDeepStrictEqual(confirmedDangers, before.confirmedDangers ?? []);
    const wanted = { ...draft, ...limit, ...(confirms && { confirmedDangers }) };
    const after = { ...before, ...wanted };
    if (isDeepStrictEqual(after, { ...before, ...draftOf(before) }))
      return { entries: [], confirms, mapping: before, picture: seen };
    const entry = entryOfUpdate(actor, before, after, groups);
    const change = { $set: { ...wanted, updatedAt: nextUpdate(before) }, $unset: { people: 1 }, ...push(entry) };
    const mapping = await updateDirectly(Mappings.acrossGuilds, { _id: mappingId, guildId: guild._id }, change);
    if (mapping === null) throw mappingNotFound();
    const mappings = seen.mappings.map((each) => (each === before ? mapping : each));
    return { entries: [entry], confirms, mapping, picture: { ...seen, groups, mappings } };
  });
  await enterLog(...entries);
  if (confirms) await mappedRolesMayDiffer(guild._id);
  return written;
}

/**
 * Replaces a mapping by itself with `change`. Without one it confirms that the mapping gives its roles although they have
 * become dangerous (AUTH-41). Throws as `updateMapping` does.
 */
export async function rewriteMapping(
  guild: Guild,
  actor: Actor,
  mappingId: string,
  change: Partial<MappingDraft> = {},
): Promise<WrittenMapping> {
  const mapping = await Mappings.findOne({ _id: mappingId, guildId: guild._id });
  if (mapping === null) throw mappingNotFound();
  return updateMapping(guild, actor, mappingId, { ...draftOf(mapping), ...change });
}

/**
 * Removes a mapping, if `onlyIf` allows it by its entity tag. Members keep the roles that they have by it. Throws NotFound
 * `mapping_not_found`, VersionMismatch.
 */
export async function removeMapping(guild: Guild, actor: Actor, mappingId: string, onlyIf = anyVersion): Promise<void> {
  const groups = await findGroups(guild._id);
  for (let isRemoved = false; !isRemoved; ) {
    const mapping = await Mappings.findOne({ _id: mappingId, guildId: guild._id });
    if (mapping === null) throw mappingNotFound();
    if (!onlyIf(entityTagOf(mapping))) throw new VersionMismatch();
    isRemoved = await removeAsRead(actor, mapping, groups);
  }
}

/** Removes every mapping that names a group. For the removal of the group, under its lease. */
export async function removeMappingsOfGroup(guild: Guild, actor: Actor, groupId: string): Promise<void> {
  const groups = await findGroups(guild._id);
  for (const mapping of await mappingsOfGroup(guild._id, groupId)) await removeAsRead(actor, mapping, groups);
}

/** Answers whether it was this call that removed it: not when somebody has changed or removed it since it was read. */
async function removeAsRead(actor: Actor, mapping: Mapping, groups: readonly LinkedGroup[]): Promise<boolean> {
  const { _id, guildId, updatedAt } = mapping;
  const entry = entryOfRemoval(actor, mapping, groups);
  const removed = await Mappings.remove({ _id, guildId, updatedAt }, entry);
  if (removed !== null) await enterLog(entry);
  return removed !== null;
}

/**
 * Throws the first refusal of `judgeDraft`. A group whose copy lacks a role is read from Roblox once more before the role is
 * refused. Gives the groups as they are known then. `groups`: those that the guild has attached, or is about to attach.
 * Throws GamePlatformUnavailable, RateLimited.
 */
export async function requireWritable(
  { facts, groups }: Snapshot,
  mapper: Mapper,
  draft: MappingDraft,
  before?: Mapping,
): Promise<readonly LinkedGroup[]> {
  const refusals = judgeDraft({ facts, groups }, mapper, draft, before);
  const [first] = refusals;
  if (first?.kind !== 'condition' || first.outdated.length === 0) {
    throwFirst(refusals, facts);
    return groups;
  }
  const renewed = await renewGroups(groups, first.outdated, refreshForCheck);
  throwFirst(judgeDraft({ facts, groups: renewed }, mapper, draft, before), facts);
  return renewed;
}

/** Groups in the same order, of which the `outdated` ones are read anew, one after the other. */
export async function renewGroups(
  groups: readonly LinkedGroup[],
  outdated: readonly LinkedGroup[],
  readAnew: (group: LinkedGroup) => Promise<LinkedGroup>,
): Promise<readonly LinkedGroup[]> {
  const renewed = new Map(groups.map((group) => [group.groupId, group]));
  for (const group of outdated) renewed.set(group.groupId, await readAnew(group));
  return [...renewed.values()];
}

/** Throws PlanLimitReached when the plan has no room for so many mappings more. */
export function requireRoom({ plan, mappings }: Pick<MappingsSnapshot, 'plan' | 'mappings'>, wanted: number): void {
  const limit = plans[plan].mappings;
  if (wanted === 0 || mappings.length + wanted <= limit) return;
  throw new PlanLimitReached(`The plan ${plan} allows ${limit} mappings.`, { resource: 'mappings', limit, plan });
}

const mappingNotFound = (): NotFound => new NotFound('mapping_not_found', 'There is no such mapping in this guild.');
