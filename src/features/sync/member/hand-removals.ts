import { trusted } from 'mongoose';
import { z } from 'zod';
import type { Actor, ErasedPerson } from '../../../core/actors/actor.js';
import type { GuildSettings } from '../../../core/settings/guild-settings.js';
import { clock } from '../../../lib/clock.js';
import { Conflict } from '../../../lib/errors.js';
import { hourMs } from '../../../lib/time.js';
import { GuildModel } from '../../../platforms/database/guild-model.js';
import { schemaOf } from '../../../platforms/database/schema-of.js';
import { isMassRemoval } from '../plan/guild-rules.js';
import type { SyncCause } from './member-change.js';

/** A member that lost roles by one actor's decision: by a sync of one member, or by a resync of a part (SYNC-10). */
export const handRemovalFields = z.strictObject({
  guildId: z.string(),
  by: z.string(),
  what: z.string(),
  people: z.int(),
  at: z.date(),
});
type HandRemoval = z.output<typeof handRemovalFields>;

const schema = schemaOf<HandRemoval>('hand_removals', handRemovalFields);
// The removals of one actor in a guild.
schema.index({ guildId: 1, by: 1, what: 1 }, { unique: true });
// purgeHandRemovals: the expired ones.
schema.index({ at: 1 });
// The erasure of a person.
schema.index({ by: 1 });
schema.index({ what: 1 });

const HandRemovals = new GuildModel<HandRemoval>('HandRemoval', schema);

/** Removals within this time count together. */
const runMs = hourMs;
const beginOfRun = (now: Date): Date => new Date(now.getTime() - runMs);

/** The actor of a sync of another person; null for the member's own syncs and Rolelink's. */
export function handOf({ trigger, actor }: Pick<SyncCause, 'trigger' | 'actor'>, chatUserId: string): string | null {
  if (trigger !== 'api' && trigger !== 'command') return null;
  return isHand(actor) && actor.id !== chatUserId ? actor.id : null;
}

export const isHand = ({ kind }: Pick<Actor, 'kind'>): boolean => kind === 'user' || kind === 'bot_token';

/**
 * Records that an actor takes roles from this number of people. Done before the removal, so that simultaneous ones
 * count each other.
 */
export async function noteHandRemoval(guildId: string, by: string, what: string, people = 1): Promise<void> {
  await HandRemovals.upsert({ guildId, by, what }, { $set: { people, at: clock.now() } });
}

/** The number of people that lost roles by an actor within the hour, without this member or resync. */
export async function countHandRemovals(guildId: string, by: string, except: string): Promise<number> {
  const theirs = { guildId, by, what: trusted({ $ne: except }), at: trusted({ $gt: beginOfRun(clock.now()) }) };
  const found = await HandRemovals.find(theirs);
  return found.reduce((sum, { people }) => sum + people, 0);
}

/**
 * Applies the removal limit of a whole resync to one actor's single syncs (SYNC-11). Throws Conflict `mass_removal`.
 */
export async function requireWithinRemovalLimit(
  { guildId, chatUserId, by }: { guildId: string; chatUserId: string; by: string },
  members: number,
  removalLimit: GuildSettings['massRemoval'],
): Promise<void> {
  await noteHandRemoval(guildId, by, chatUserId);
  const people = 1 + (await countHandRemovals(guildId, by, chatUserId));
  if (!isMassRemoval(people, members, removalLimit)) return;
  await HandRemovals.acrossGuilds.deleteOne({ guildId, by, what: chatUserId });
  throw new Conflict(
    'mass_removal',
    `Your updates would have taken roles from ${people} people within an hour. Start a resync, so that an admin confirms it.`,
    { people },
  );
}

export async function purgeHandRemovals(now: Date): Promise<void> {
  await HandRemovals.acrossGuilds.deleteMany({ at: trusted({ $lte: beginOfRun(now) }) });
}

/** Erases a person: as the actor, and as the member. */
export async function eraseHandRemovals({ chatUserId }: Pick<ErasedPerson, 'chatUserId'>): Promise<void> {
  await HandRemovals.acrossGuilds.deleteMany({ by: chatUserId });
  await HandRemovals.acrossGuilds.deleteMany({ what: chatUserId });
}

/** A person's records, as the actor and as the member. */
export async function handRemovalsOf(chatUserId: string): Promise<HandRemoval[]> {
  const [taken, lost] = await Promise.all([
    HandRemovals.acrossGuilds.find({ by: chatUserId }).lean<HandRemoval[]>(),
    HandRemovals.acrossGuilds.find({ what: chatUserId }).lean<HandRemoval[]>(),
  ]);
  return [...taken, ...lost];
}
