import { type PipelineStage, trusted } from 'mongoose';
import { config } from '../../config/config.js';
import { Batcher } from '../../lib/batcher.js';
import { clock } from '../../lib/clock.js';
import { Conflict, NotFound } from '../../lib/errors.js';
import { SingleFlight } from '../../lib/single-flight.js';
import { t } from '../../lib/translate.js';
import { readOneDirectly } from '../../platforms/database/direct-reads.js';
import { duplicatesAmong, isDuplicateKey } from '../../platforms/database/duplicate-key.js';
import type { GuildProfile } from '../../platforms/discord/guild-profile.js';
import { shardOf } from '../../platforms/discord/process-share.js';
import { newEvent, push } from '../../platforms/events/outbox.js';
import { type ErasedPerson, systemActor } from '../actors/actor.js';
import { enterLog, type NewEntry, newEntry } from '../audit/audit-service.js';
import type { PlanName } from '../plans/plans.js';
import { type Guild, GuildRecord, withPlan } from './guild-model.js';
import { graceMs, reconcileFrom } from './pending-reconciliations.js';
import { announceWelcome } from './welcomes.js';

export type { Guild } from './guild-model.js';

type Welcome = NonNullable<Guild['welcome']>;

/**
 * Stores Discord's data about a guild that the bot is in. A new or rejoined guild becomes present; a new one also gets
 * `welcome`, if given.
 */
export async function keepGuild(profile: GuildProfile, welcome?: Omit<Welcome, 'at'>): Promise<void> {
  const { _id } = profile;
  const now = clock.now();
  const $set = keptOf(profile, now);
  const known = await GuildRecord.updateOne({ _id, present: true }, { $set });
  if (known.matchedCount > 0) return;
  const entry = entryOfPresence(profile, 'guild.joined');
  const came = { $set: { ...$set, ...reconcileFrom(now, graceMs) }, ...push(entry) };
  const pending = welcome && { welcome: { ...welcome, at: now } };
  const $setOnInsert = { state: 'active' as const, joinedAt: now, ...pending };
  try {
    await GuildRecord.updateOne({ _id, present: trusted({ $ne: true }) }, { ...came, $setOnInsert }, { upsert: true });
  } catch (error) {
    // Another process was first.
    if (isDuplicateKey(error)) return;
    throw error;
  }
  if (pending !== undefined) announceWelcome();
  await enterLog(entry);
}

/**
 * Stores Discord's data about many guilds in one command, except where newer data is stored. Returns the remaining ids:
 * new, rejoined or since updated guilds, each for `keepGuild`.
 */
export async function keepGuilds(profiles: readonly GuildProfile[]): Promise<string[]> {
  const now = clock.now();
  const writes = profiles.map((profile) => ({
    updateOne: {
      filter: { _id: profile._id, present: true, keptAt: { $not: { $gt: now } } },
      update: { $set: keptOf(profile, now) },
    },
  }));
  const { matchedCount } = await GuildRecord.collection.bulkWrite(writes as never, { ordered: false });
  if (matchedCount === profiles.length) return [];
  const ids = profiles.map(({ _id }) => _id);
  const written = { _id: trusted({ $in: ids }), present: true, keptAt: now };
  const found = await GuildRecord.find(written, { _id: 1 }).hint({ _id: 1 }).lean<Pick<Guild, '_id'>[]>();
  const stored = new Set(found.map(({ _id }) => _id));
  return ids.filter((id) => !stored.has(id));
}

const guildsPerWrite = 500;

const joining = new Batcher<GuildProfile, undefined>(
  async (profiles) => {
    await joinGuilds(profiles);
    return [];
  },
  { most: guildsPerWrite },
);

/** Does as `keepGuild`, in the same writes as for other guilds at the same time. */
export async function keepGuildAmongMany(profile: GuildProfile): Promise<void> {
  await joining.add(profile);
}

async function joinGuilds(profiles: readonly GuildProfile[]): Promise<void> {
  const now = clock.now();
  const joined = profiles.map((profile) => ({ profile, entry: entryOfPresence(profile, 'guild.joined') }));
  const writes = joined.flatMap(({ profile: { _id }, profile, entry }) => {
    const $set = keptOf(profile, now);
    const came = { $set: { ...$set, ...reconcileFrom(now, graceMs) }, ...push(entry) };
    const $setOnInsert = { state: 'active', joinedAt: now };
    return [
      { updateOne: { filter: { _id, present: true }, update: { $set } } },
      { updateOne: { filter: { _id, present: { $ne: true } }, update: { ...came, $setOnInsert }, upsert: true } },
    ];
  });
  // A guild that is present already refuses its second write.
  await GuildRecord.collection.bulkWrite(writes as never, { ordered: false }).catch(duplicatesAmong);
  const ids = profiles.map(({ _id }) => _id);
  const told = { _id: trusted({ $in: ids }), 'outbox.id': trusted({ $in: joined.map(({ entry }) => entry.id) }) };
  const found = await GuildRecord.find(told, { _id: 1 }).hint({ _id: 1 }).lean<Pick<Guild, '_id'>[]>();
  const stored = new Set(found.map(({ _id }) => _id));
  await enterLog(...joined.flatMap(({ profile, entry }) => (stored.has(profile._id) ? entry : [])));
}

function keptOf({ _id, ...facts }: GuildProfile, keptAt: Date) {
  return { ...facts, searchName: facts.name.toLowerCase(), present: true, keptAt };
}

/** Marks a guild that removed the bot. It is hidden, and its data is kept in case the bot returns. */
export async function leaveGuild(guildId: string): Promise<void> {
  const guild = await findPresentGuild(guildId);
  if (guild === null) return;
  const entry = entryOfPresence(guild, 'guild.left');
  const { modifiedCount } = await GuildRecord.updateOne(
    { _id: guildId, present: true },
    { $set: { present: false }, $unset: { catchUpSince: 1, catchUpAt: 1 }, ...push(entry) },
  );
  if (modifiedCount > 0) await enterLog(entry);
}

/** Discord doesn't report the person that added or removed the bot. */
function entryOfPresence({ _id: id, name }: Pick<Guild, '_id' | 'name'>, action: 'guild.joined' | 'guild.left') {
  return newEntry({ guildId: id, actor: systemActor('discord'), action, target: { kind: 'guild', id, name } });
}

/** A shard's stored guilds that are not in `guildIds`. */
export async function* guildsBeside(
  guildIds: readonly string[],
  shardId: number,
  shardCount: number,
): AsyncGenerator<string> {
  const others = GuildRecord.find({ present: true, _id: trusted({ $nin: [...guildIds] }) }, { _id: 1 }).lean<Guild>();
  for await (const { _id } of others.cursor()) {
    if (shardOf(_id, shardCount) === shardId) yield _id;
  }
}

const presentGuilds = new SingleFlight(async (_id) => asPresent(await readOneDirectly(GuildRecord, _id)));

/** The guild with this id if the bot is in it, else null. */
export function findPresentGuild(guildId: string): Promise<Guild | null> {
  return presentGuilds.get(guildId);
}

/** The aggregation stage that joins the guild with this id to other rows; `asPresent` converts it to a Guild. */
export const withGuildRow = (guildId: string): PipelineStage.UnionWith => ({
  $unionWith: { coll: GuildRecord.collection.name, pipeline: [{ $match: { _id: guildId } }] },
});

/** A stored guild row as a Guild if the bot is in it, else null. */
export const asPresent = (row: Guild | null | undefined): Guild | null =>
  row?.present === true ? withPlan(row) : null;

/** The guild with this id, even if the bot has left it; null if the bot was never in it. */
export function findGuild(guildId: string): Promise<Guild | null> {
  return GuildRecord.findById(guildId).lean<Guild | null>().exec();
}

type EntriesOf = (before: Guild) => readonly NewEntry[];

/**
 * Suspends a guild (API-75), with its webhook event and log entries in the same write. Every action in a guild reads
 * the state first, so the suspension applies everywhere immediately. Throws NotFound `guild_not_found`, Conflict
 * `already_suspended`.
 */
export async function suspendGuild(
  guildId: string,
  reason: string,
  by: string,
  entriesOf: EntriesOf = () => [],
): Promise<Guild> {
  const at = clock.now();
  const event = newEvent('guild.suspended', guildId, { reason, suspendedAt: at.toISOString() });
  const entries = entriesOf(await requireGuild(guildId));
  const suspended = await GuildRecord.findOneAndUpdate(
    { _id: guildId, state: 'active' },
    {
      $set: { state: 'suspended', suspension: { reason, at, by } },
      $unset: { catchUpSince: 1, catchUpAt: 1 },
      ...push(event, ...entries),
    },
    { returnDocument: 'after' },
  ).lean<Guild | null>();
  if (suspended === null) throw new Conflict('already_suspended', 'This server is already suspended.');
  await enterLog(...entries);
  return suspended;
}

/**
 * Reactivates a suspended guild and marks it for a reconciliation, with its log entries in the same write. Returns the
 * guild before the change. Throws NotFound `guild_not_found`, Conflict `not_suspended`.
 */
export async function unsuspendGuild(guildId: string, entriesOf: EntriesOf = () => []): Promise<Guild> {
  const guild = await requireGuild(guildId);
  const entries = entriesOf(guild);
  const before = await GuildRecord.findOneAndUpdate(
    { _id: guildId, state: 'suspended' },
    { $set: { state: 'active', ...reconcileFrom(clock.now()) }, $unset: { suspension: 1 }, ...push(...entries) },
    { returnDocument: 'before' },
  ).lean<Guild | null>();
  if (before === null) throw new Conflict('not_suspended', "This server isn't suspended.");
  await enterLog(...entries);
  return before;
}

async function requireGuild(guildId: string): Promise<Guild> {
  const guild = await findGuild(guildId);
  if (guild === null) throw new NotFound('guild_not_found', t('error.no_such_guild'));
  return guild;
}

/** Replaces an erased platform admin with their pseudonym. Their suspensions stay. */
export async function eraseSuspender({ chatUserId, pseudonym }: ErasedPerson): Promise<void> {
  const theirs = { state: 'suspended' as const, 'suspension.by': chatUserId };
  await GuildRecord.updateMany(theirs, { $set: { 'suspension.by': pseudonym } });
}

export async function planOf(guildId: string): Promise<PlanName> {
  const found = await GuildRecord.findOne({ _id: guildId }, { plan: 1 }).lean<Pick<Guild, 'plan'> | null>();
  return found?.plan ?? config().defaultPlan;
}

/**
 * Stores a guild's paid plan (null for none). If the plan in force changes, `entryOf` makes the log entry from the
 * previous one. An unknown guild is ignored.
 */
export async function changePlan(
  guildId: string,
  paid: PlanName | null,
  entryOf?: (before: PlanName) => NewEntry,
): Promise<void> {
  const { defaultPlan } = config();
  const $paid = paid === null ? { $unset: { plan: 1 as const } } : { $set: { plan: paid } };
  for (;;) {
    const guild = await findGuild(guildId);
    if (guild === null) return;
    const { plan: from } = guild;
    const entries = entryOf === undefined || from === (paid ?? defaultPlan) ? [] : [entryOf(from)];
    // A missing value means the default.
    const stored = [{ plan: from }, ...(from === defaultPlan ? [{ plan: trusted({ $exists: false }) }] : [])];
    const asRead = { _id: guildId, $or: stored };
    const { matchedCount } = await GuildRecord.updateOne(asRead, { ...$paid, ...push(...entries) });
    if (matchedCount > 0) return enterLog(...entries);
  }
}

export async function guildsWithOwnPlan(): Promise<string[]> {
  const found = await GuildRecord.find({ plan: trusted({ $exists: true }) }, { _id: 1 }).lean<Pick<Guild, '_id'>[]>();
  return found.map(({ _id }) => _id);
}

/** The guilds in `guildIds` that the bot is in, and those owned by `ownerId`; ordered by id. */
export async function findGuilds(guildIds: readonly string[], ownerId: string | null): Promise<Guild[]> {
  const among = { _id: trusted({ $in: [...guildIds] }) };
  // Each `$or` side uses its index only without further conditions and without an order.
  const found = await GuildRecord.find(ownerId === null ? among : { $or: [among, { ownerId }] }).lean<Guild[]>();
  return found.filter(({ present }) => present).sort((a, b) => (a._id < b._id ? -1 : 1));
}

/** The guilds that a person owns on Discord, including those that the bot has left. */
export function guildsOwnedBy(chatUserId: string): AsyncIterable<Guild> {
  return GuildRecord.find({ ownerId: chatUserId }).sort({ present: 1, _id: 1 }).lean<Guild>().cursor().map(withPlan);
}

/** One page with guilds that the bot is in, by id: for a platform token's GET /api/guilds. */
export function pageOfGuilds(after: string, limit: number): Promise<Guild[]> {
  return GuildRecord.find({ present: true, _id: trusted({ $gt: after }) })
    .sort({ _id: 1 })
    .hint({ _id: 1 })
    .limit(limit)
    .lean<Guild[]>()
    .exec();
}

export async function allGuildIds(): Promise<string[]> {
  const found = await GuildRecord.find({}, { _id: 1 }).lean<Pick<Guild, '_id'>[]>();
  return found.map(({ _id }) => _id);
}

export function activeGuildPlans(): AsyncIterable<Pick<Guild, '_id' | 'plan'>> {
  return GuildRecord.find({ present: true, state: 'active' }, { plan: 1 })
    .hint({ present: 1, state: 1, plan: 1 })
    .lean<Pick<Guild, '_id' | 'plan'>>()
    .cursor()
    .map(withPlan);
}
