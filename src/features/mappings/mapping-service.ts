import type { Actor } from '../../core/actors/actor.js';
import { authorOf, type RuleAuthor } from '../../core/actors/reach.js';
import { holds } from '../../core/actors/team-roles.js';
import { enterLog, type NewEntry } from '../../core/audit/audit-service.js';
import type { LinkedGroup } from '../../core/groups/group-model.js';
import { findGroups, refreshForCheck } from '../../core/groups/linked-groups.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { plans } from '../../core/plans/plans.js';
import type { GuildSettings } from '../../core/settings/guild-settings.js';
import { clock } from '../../lib/clock.js';
import { anyVersion, entityTagOf } from '../../lib/entity-tag.js';
import { NotFound, PlanLimitReached, VersionMismatch } from '../../lib/errors.js';
import { newId } from '../../lib/ids.js';
import { SingleFlight } from '../../lib/single-flight.js';
import { withLease } from '../../platforms/database/lease.js';
import { readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { entryOfCreation, entryOfRemoval } from './mapping-audit.js';
import { groupIdsNamed, type MappingDraft } from './mapping-draft.js';
import { type Mapping, Mappings } from './mapping-model.js';
import { judgeDraft, type Snapshot, throwFirst } from './mapping-rules.js';
import { roleWarnings } from './mapping-status.js';
import { type MappingsSnapshot, readAllMappings, readStoredSnapshot } from './mappings-snapshot.js';
import { lessRolesAbove } from './roles-below.js';
import { mapsWholeGroup, pairsOf, type RoleNames, rolesGiven } from './whole-group.js';

export type { Mapping } from './mapping-model.js';

/** Simultaneous callers wait for one another, and each may have to wait for a group's roles from Roblox. */
const leaseWaitMs = 30_000;

/** The mappings that are switched on, oldest first. `partByPlan` decides which ones the guild's plan keeps in force. */
export function enabledMappings(guildId: string): Promise<readonly Mapping[]> {
  return mappingsInUse.get(guildId);
}

const mappingsInUse = new SingleFlight(async (guildId) =>
  (await readAllMappings(guildId)).filter(({ enabled }) => enabled),
);

export function groupsOfMappings(): AsyncIterable<{ guildId: string; groupIds: string[] }> {
  return Mappings.acrossGuilds
    .find({ enabled: true }, { guildId: 1, condition: 1, nickname: 1 })
    .lean<Pick<Mapping, 'guildId' | 'condition' | 'nickname'>>()
    .cursor()
    .map((mapping) => ({ guildId: mapping.guildId, groupIds: groupIdsNamed(mapping) }));
}

export { readAllMappings as listAllMappings } from './mappings-snapshot.js';

/** A guild's mapping by its id. Throws NotFound `mapping_not_found`. */
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
 * Runs work under the lease for a guild's mappings and groups. Counting and adding mappings, naming another group and
 * detaching one need it. Throws Conflict `busy`.
 */
export function withMappingsLease<T>(guildId: string, work: () => Promise<T>): Promise<T> {
  return withLease(`mappings:${guildId}`, work, { waitMs: leaseWaitMs });
}

/** How a mapping is written: `mode` as a whole change will leave it, by default as it is (CONF-62). */
export type Manner = Partial<Pick<GuildSettings, 'mode'>>;

/** A mapping that was just written, with its guild's snapshot. */
export interface WrittenMapping {
  mapping: Mapping;
  snapshot: MappingsSnapshot;
}

/**
 * Adds a mapping. Throws Forbidden for roles that the actor may not give, Conflict `role_unmanageable` for those that
 * the bot can't, InvalidRequest for missing roles, groups and game roles, PlanLimitReached, ChatPlatformUnavailable,
 * GamePlatformUnavailable.
 */
export async function createMapping(
  guild: Guild,
  actor: Actor,
  draft: MappingDraft,
  manner: Manner = {},
): Promise<WrittenMapping> {
  const facts = await readGuildFacts(guild._id);
  const mapper = await authorOf(actor, facts);
  const { entry, ...written } = await withMappingsLease(guild._id, async () => {
    const seen = { ...(await readStoredSnapshot(guild)), facts };
    const groups = await requireWritable({ ...seen, ...manner }, mapper, draft);
    requireRoom(seen, 1);
    const mapping = newMapping({ facts, groups }, mapper, draft, clock.now());
    const entry = entryOfCreation(actor, mapping, groups);
    await Mappings.insert({ ...mapping, outbox: [entry] });
    return { entry, mapping, snapshot: { ...seen, groups, mappings: [...seen.mappings, mapping] } };
  });
  await enterLog(entry);
  return written;
}

/**
 * Adds several mappings, all or none, except for existing equal ones (`ruleKey`). `summary` returns one audit entry for
 * all, given their count; the last one carries it. Throws as `createMapping` does. They are stored in one pass, but not
 * in one write: repeating the call adds those that a crash left out.
 */
export async function createMappings(
  guild: Guild,
  actor: Actor,
  drafts: readonly MappingDraft[],
  summary: (count: number) => NewEntry,
  manner: Manner = {},
): Promise<Mapping[]> {
  const facts = await readGuildFacts(guild._id);
  const mapper = await authorOf(actor, facts);
  const { created, entries } = await withMappingsLease(guild._id, async () => {
    const seen = { ...(await readStoredSnapshot(guild)), facts };
    const there = new Set(seen.mappings.map(ruleKey));
    const wanted = drafts.filter((draft) => !there.has(ruleKey(draft)));
    let { groups } = seen;
    for (const draft of wanted) groups = await requireWritable({ facts, groups, ...manner }, mapper, draft);
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

function newMapping(names: RoleNames, mapper: RuleAuthor, draft: MappingDraft, now: Date): Mapping {
  const { confirmedDangers, ...limit } = acceptedBy(mapper, draft, names);
  return {
    _id: newId('map', now),
    guildId: names.facts.guildId,
    ...draft,
    ...limit,
    ...(confirmedDangers.length > 0 && { confirmedDangers }),
    ...(mapsWholeGroup([draft]) && { pairs: pairsOf({ ...draft, ...limit }, names) }),
    createdAt: now,
    updatedAt: now,
  };
}

/**
 * The acceptance by a mapping's author: the dangers of its roles, as far as the author may accept them. A whole group
 * also gets the author's highest role, as the limit for roles named like a rank later (AUTH-42).
 */
export function acceptedBy({ role, ceilingRoleId }: RuleAuthor, draft: MappingDraft, names: RoleNames) {
  if (!mapsWholeGroup([draft])) return { confirmedDangers: roleWarnings(draft.roleIds, names.facts) };
  const roleIds = holds(role, 'admin') ? rolesGiven({ ...draft, ceilingRoleId }, names) : [];
  return { confirmedDangers: roleWarnings(roleIds, names.facts), ceilingRoleId };
}

/** A key that is equal for two mappings with the same effect, apart from their names and whether they are on. Pure. */
export function ruleKey({ condition, roleIds, removeWhenUnmatched }: MappingDraft | Mapping): string {
  return JSON.stringify([condition, [...roleIds].sort(), removeWhenUnmatched]);
}

/**
 * Removes a mapping, if `onlyIf` accepts its entity tag. Members keep its roles. Throws NotFound `mapping_not_found`,
 * VersionMismatch.
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

/**
 * Removes every mapping that names a group. Called when the group is removed, under its lease. A mapping that is
 * changed meanwhile is read again, since it may still name the group.
 */
export async function removeMappingsOfGroup(guild: Guild, actor: Actor, groupId: string): Promise<void> {
  const groups = await findGroups(guild._id);
  for (let isDone = false; !isDone; ) {
    isDone = true;
    for (const mapping of await mappingsOfGroup(guild._id, groupId))
      isDone = (await removeAsRead(actor, mapping, groups)) && isDone;
  }
}

/** Removes a mapping unless it was changed or removed since it was read; returns whether this call removed it. */
async function removeAsRead(actor: Actor, mapping: Mapping, groups: readonly LinkedGroup[]): Promise<boolean> {
  const { _id, guildId, updatedAt } = mapping;
  const entry = entryOfRemoval(actor, mapping, groups);
  const removed = await Mappings.remove({ _id, guildId, updatedAt }, entry);
  if (removed !== null) await enterLog(entry);
  return removed !== null;
}

/**
 * Throws `judgeDraft`'s first refusal, less roles above the bot while the guild observes. A group whose copy lacks a role is read from Roblox once more before the role is
 * refused. Returns the groups as then known. `groups`: those that the guild has attached, or is about to attach. Throws
 * GamePlatformUnavailable, RateLimited.
 */
export async function requireWritable(
  { facts, groups, mode }: Snapshot & Manner,
  mapper: RuleAuthor,
  draft: MappingDraft,
  before?: Mapping,
): Promise<readonly LinkedGroup[]> {
  const judge = (known: readonly LinkedGroup[]) =>
    lessRolesAbove(judgeDraft({ facts, groups: known }, mapper, draft, before), facts.guildId, mode);
  const refusals = await judge(groups);
  const [first] = refusals;
  if (first?.kind !== 'condition' || first.outdated.length === 0) {
    throwFirst(refusals, facts);
    return groups;
  }
  const renewed = await renewGroups(groups, first.outdated, refreshForCheck);
  throwFirst(await judge(renewed), facts);
  return renewed;
}

/** The groups in the same order, with the `outdated` ones read again, one after the other. */
export async function renewGroups(
  groups: readonly LinkedGroup[],
  outdated: readonly LinkedGroup[],
  readAnew: (group: LinkedGroup) => Promise<LinkedGroup>,
): Promise<readonly LinkedGroup[]> {
  const renewed = new Map(groups.map((group) => [group.groupId, group]));
  for (const group of outdated) renewed.set(group.groupId, await readAnew(group));
  return [...renewed.values()];
}

/** Throws PlanLimitReached if the plan has no room for `wanted` more mappings. */
export function requireRoom({ plan, mappings }: Pick<MappingsSnapshot, 'plan' | 'mappings'>, wanted: number): void {
  const limit = plans[plan].mappings;
  if (wanted === 0 || mappings.length + wanted <= limit) return;
  throw new PlanLimitReached(`The plan ${plan} allows ${limit} mappings.`, { resource: 'mappings', limit, plan });
}

export const mappingNotFound = (): NotFound =>
  new NotFound('mapping_not_found', 'There is no such mapping in this server.');
