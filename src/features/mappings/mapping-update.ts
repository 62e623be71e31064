import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../core/actors/actor.js';
import { authorOf, type RuleAuthor } from '../../core/actors/reach.js';
import { enterLog, type NewEntry } from '../../core/audit/audit-service.js';
import { type LinkedGroup, LinkedGroups } from '../../core/groups/group-model.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { plans } from '../../core/plans/plans.js';
import { anyVersion, entityTagOf, nextUpdate } from '../../lib/entity-tag.js';
import { VersionMismatch } from '../../lib/errors.js';
import { KeyedQueue } from '../../lib/keyed-queue.js';
import { aggregateDirectly } from '../../platforms/database/direct-reads.js';
import { updateOneDirectly } from '../../platforms/database/direct-writes.js';
import { named } from '../../platforms/database/named-rows.js';
import { type GuildFacts, readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { push } from '../../platforms/events/outbox.js';
import { mappedRolesMayDiffer } from './mapped-role-job.js';
import { entryOfUpdate } from './mapping-audit.js';
import { draftOf, groupIdsNamed, type MappingDraft } from './mapping-draft.js';
import { type Mapping, Mappings } from './mapping-model.js';
import {
  acceptedBy,
  type Manner,
  mappingNotFound,
  requireWritable,
  type WrittenMapping,
  withMappingsLease,
} from './mapping-service.js';
import { beyondPlaces, type MappingsSnapshot, readAllMappings } from './mappings-snapshot.js';
import { mapsWholeGroup, pairsOf } from './whole-group.js';

/** A wished mapping change, with all that it is judged by. */
interface Wish {
  guild: Guild;
  actor: Actor;
  facts: GuildFacts;
  mapper: RuleAuthor;
  mappingId: string;
  draft: MappingDraft;
  onlyIf: (tag: string) => boolean;
  manner: Manner;
}

/**
 * Replaces a mapping as a whole, if `onlyIf` accepts its entity tag. Throws as `createMapping` does, NotFound
 * `mapping_not_found`, and VersionMismatch. A condition or role that it has already may stay, even a deleted one, so
 * that a broken mapping can be repaired or turned off. The write confirms its roles' present dangerous permissions,
 * which needs the role admin as a new mapping does.
 */
export async function updateMapping(
  guild: Guild,
  actor: Actor,
  mappingId: string,
  draft: MappingDraft,
  onlyIf = anyVersion,
  manner: Manner = {},
): Promise<WrittenMapping> {
  const facts = await readGuildFacts(guild._id);
  const mapper = await authorOf(actor, facts);
  return update({ guild, actor, facts, mapper, mappingId, draft, onlyIf, manner });
}

/**
 * Replaces a mapping with `change`'s result. Without `change` it confirms that the mapping gives its roles although
 * they have become dangerous (AUTH-41). Throws as `updateMapping` does.
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

/** Changes to one mapping by this process take turns, so that none repeats its work for another. */
const turns = new KeyedQueue();

/** Repeated while another process changes the mapping between its read and its write. */
async function update(wish: Wish): Promise<WrittenMapping> {
  for (;;) {
    const read = () => readSeen(wish.guild, wish.mappingId);
    const written = await turns.add(wish.mappingId, async () => {
      const seen = await read();
      return namesNewGroups(wish.draft, seen.before) ? 'leased' : write(wish, seen);
    });
    const made =
      written === 'leased' ? await withMappingsLease(wish.guild._id, async () => write(wish, await read())) : written;
    if (made !== null) return complete(wish.guild, made);
  }
}

/**
 * Whether a group has to be kept from being detached meanwhile, which needs the lease. A group that the mapping names
 * already can only be detached with the mapping, and so with the version that the write replaces.
 */
function namesNewGroups(draft: MappingDraft, before: Mapping): boolean {
  const present = groupIdsNamed(before);
  return groupIdsNamed(draft).some((groupId) => !present.includes(groupId));
}

/** The parts in a guild's snapshot that changing one mapping needs. */
interface Seen {
  before: Mapping;
  groups: readonly LinkedGroup[];
  /** Whether the guild has more mappings than its plan allows. */
  isBeyond: boolean;
}

async function readSeen({ _id: guildId, plan }: Guild, mappingId: string): Promise<Seen> {
  type Row = { group?: LinkedGroup; mapping?: Mapping; beyond?: object };
  const mapping = [{ $match: { _id: mappingId } }, { $unset: 'outbox' }];
  const rows = await aggregateDirectly<Row>(
    LinkedGroups.acrossGuilds,
    [
      { $match: { guildId } },
      { $sort: { groupId: 1 } },
      { $replaceWith: { group: '$$ROOT' } },
      named('mapping', { $unionWith: { coll: Mappings.acrossGuilds.collection.name, pipeline: mapping } }),
      named('beyond', beyondPlaces(guildId, plans[plan].mappings)),
    ],
    { hint: { guildId: 1, groupId: 1 } },
  );
  const before = rows.find((row) => row.mapping !== undefined)?.mapping;
  if (before === undefined || before.guildId !== guildId) throw mappingNotFound();
  return {
    before,
    groups: rows.flatMap(({ group }) => group ?? []),
    isBeyond: rows.some(({ beyond }) => beyond !== undefined),
  };
}

/** A mapping that has been replaced. */
interface Replaced {
  mapping: Mapping;
  snapshot: Pick<MappingsSnapshot, 'facts' | 'groups'> & Pick<Seen, 'isBeyond'>;
  /** Undefined if nothing was written. */
  entry?: NewEntry;
  /** Whether the write confirmed other dangerous permissions. */
  confirms?: boolean;
}

/** Replaces the version that was read; null if it is no longer the present one. */
async function write(wish: Wish, { before, groups: known, isBeyond }: Seen): Promise<Replaced | null> {
  const { actor, facts, mapper, draft, onlyIf, manner } = wish;
  if (!onlyIf(entityTagOf(before))) throw new VersionMismatch();
  const groups = await requireWritable({ facts, groups: known, ...manner }, mapper, draft, before);
  const { confirmedDangers, ...limit } = acceptedBy(mapper, draft, { facts, groups });
  const confirms = !isDeepStrictEqual(confirmedDangers, before.confirmedDangers ?? []);
  // Another group's ranks are matched anew.
  const isSameCondition = isDeepStrictEqual(draft.condition, before.condition);
  const pairs = isSameCondition ? {} : { pairs: pairsOf({ ...draft, ...limit }, { facts, groups }) };
  const wanted = { ...draft, ...limit, ...pairs, ...(confirms && { confirmedDangers }) };
  const after = { ...before, ...wanted };
  const snapshot = { facts, groups, isBeyond };
  if (isDeepStrictEqual(after, { ...before, ...draftOf(before) })) return { mapping: before, snapshot };
  const entry = entryOfUpdate(actor, before, after, groups);
  const { _id, guildId, updatedAt } = before;
  const renewed = { ...wanted, updatedAt: nextUpdate(before) };
  const change = { $set: renewed, $unset: { people: 1 }, ...push(entry) };
  if (!(await updateOneDirectly(Mappings.acrossGuilds, { _id, guildId, updatedAt }, change))) return null;
  const { people: _, ...kept } = before;
  return { mapping: { ...kept, ...renewed }, snapshot, entry, confirms };
}

/** Enters a replacement into the log, and reads other mappings only if they influence how this one is shown. */
async function complete(
  { _id: guildId, plan }: Guild,
  { mapping, snapshot: { isBeyond, ...known }, entry, confirms = false }: Replaced,
): Promise<WrittenMapping> {
  if (entry !== undefined) await enterLog(entry);
  if (confirms) mappedRolesMayDiffer(guildId);
  const mappings = isBeyond || mapsWholeGroup([mapping]) ? await readAllMappings(guildId) : [mapping];
  return { mapping, snapshot: { plan, ...known, mappings } };
}
