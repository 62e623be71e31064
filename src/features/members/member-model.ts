import { trusted } from 'mongoose';
import { z } from 'zod';
import type { NewEntry } from '../../core/audit/audit-service.js';
import { dayMs, hourMs } from '../../lib/time.js';
import { declareDueTime } from '../../platforms/database/due-times.js';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { objectId, schemaOf } from '../../platforms/database/schema-of.js';
import type { DiscordPerson } from '../../platforms/discord/guild-members.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';
import {
  applyingSyncFields,
  differenceFields,
  joinMessageFields,
  leftFields,
  owedSyncFields,
  refusedPart,
  restoredFields,
  type SyncRecord,
  syncRecordFields,
  wentByFields,
} from './member-sync-fields.js';

/** The Roblox account of a person, as it was called when last seen. */
export interface GameIdentity {
  gameUserId: string;
  gameUsername: string;
  gameDisplayName: string;
}

/**
 * A person inside one guild. `joined` has never been linked there, `unlinked` was once. The fields of the game account
 * are there exactly while `linked`, and say the same as the person's Account (ID-4).
 */
export const memberFields = z.strictObject({
  _id: objectId,
  guildId: z.string(),
  chatUserId: z.string(),
  chatUsername: z.string(),
  /** The hash of their picture on Discord. */
  chatAvatar: z.string().exactOptional(),
  /** They had yet to accept the rules of the guild on Discord when that was told of them last. */
  pending: z.literal(true).exactOptional(),
  state: z.enum(['joined', 'linked', 'unlinked']),
  /** Whether the person is in the guild on Discord. Who left keeps their link (SYNC-48). */
  present: z.boolean(),
  /** When that was learnt last: what was read of Discord before does not change it. */
  presenceAt: z.date().exactOptional(),
  /** A guild admin unlinked them: only a proof made in this guild links them again (ID-7). */
  autoLinkBlocked: z.boolean(),
  /** Whether they let this guild see and use their account; a proof made here says so too (ID-20). */
  consent: z.enum(['given', 'refused']).exactOptional(),
  /** When they were asked by direct message: not again. */
  consentAskedAt: z.date().exactOptional(),
  /** Lower-case names for the search of GET …/members. */
  names: z.array(z.string()),
  gameUserId: z.string().exactOptional(),
  gameUsername: z.string().exactOptional(),
  gameDisplayName: z.string().exactOptional(),
  linkedAt: z.date().exactOptional(),
  /** Since when the game account is known to be deleted or banned (VER-31). */
  goneSince: z.date().exactOptional(),
  /** When to link them by their account, which is too young for the guild, or whose age Roblox did not tell. */
  linkDueAt: z.date().exactOptional(),
  /** The nickname of ours that Discord took last, so that unlinking takes back no other. Null: nothing was left of it. */
  givenNickname: z.string().nullable().exactOptional(),
  /** What we had asked Discord for, where that has made something else of it (SYNC-19). */
  askedNickname: z.string().exactOptional(),
  /** Their Discord name when nothing was left of a nickname, as of one that equals it: by another name it is asked again. */
  namelessAs: z.string().exactOptional(),
  /** The last ten, oldest first. */
  syncs: z.array(syncRecordFields),
  /** Set in the same write as what makes a sync necessary, so that no crash loses it. */
  owedSync: owedSyncFields.exactOptional(),
  /** When to read what mappings ask of their account, which was not known (`trait-readings.ts`). */
  traitsDueAt: z.date().exactOptional(),
  /** This coming of theirs has not been looked at yet for a message (DISC-36). */
  joinUntold: z.literal(true).exactOptional(),
  /** The message for who joins and is not verified: owed since then, and due now or again. */
  joinMessage: joinMessageFields.exactOptional(),
  /** When they were told that they are kicked: not again for each try of it. */
  kickToldAt: z.date().exactOptional(),
  /** The log entry of a kick, stored before Discord is asked, and gone once it is told or the person was synced after all. */
  kicking: z.custom<NewEntry>().exactOptional(),
  /** What stood in the way of their last sync: they are owed one when it is gone. The words are those of sync planning. */
  blockedBy: z.array(z.string()).exactOptional(),
  /** What Discord has refused of their last sync. */
  refused: z.array(refusedPart).exactOptional(),
  wentBy: wentByFields.exactOptional(),
  left: leftFields.exactOptional(),
  /** In a guild that only observes: what the last sync would have done. Left out of who is in step. */
  difference: differenceFields.exactOptional(),
  /** The last few, oldest first. */
  restored: z.array(restoredFields).exactOptional(),
  /** Roles, or the nickname, that something changes back again and again, so that syncs stopped setting them. */
  contested: z.array(z.string()).exactOptional(),
  /** Of the lease of the sync that wrote here last: one with a smaller fence was taken over, and writes no more. */
  syncFence: z.number().exactOptional(),
  /** Still there when a sync ends: a process that made one before was killed, or not told, before it could note it. */
  applying: applyingSyncFields.exactOptional(),
});
export interface Member extends z.output<typeof memberFields>, WithOutbox {}

/** The indexes of queries that could use several: each names its own. */
export const memberIndexes = {
  chatUserId: 'guildId_1_chatUserId_1',
  gameUserId: 'guildId_1_gameUserId_1',
  linkedAt: 'guildId_1_state_1_present_1_linkedAt_-1__id_-1',
  gameUsername: 'guildId_1_state_1_present_1_gameUsername_1__id_1',
  names: 'guildId_1_names_1',
  blockedBy: 'guildId_1_blockedBy_1',
  dueAt: 'guildId_1_owedSync.dueAt_1',
  joinMessage: 'joinMessage.dueAt_1',
  strangers: 'presenceAt_1',
  traitsDueAt: 'guildId_1_traitsDueAt_1',
  wentByHeld: 'wentBy.held_1',
  contested: 'guildId_1_contested_1',
  differs: 'guildId_1_difference.since_-1__id_-1',
  differsAbout: 'guildId_1_difference.about_1_difference.since_-1__id_-1',
} as const;

const schema = schemaOf<Member>('members', memberFields);
// One document a person and guild; every lookup by memberId.
schema.index({ guildId: 1, chatUserId: 1 }, { unique: true, name: memberIndexes.chatUserId });
// The reverse lookup: GET …/members?gameUserId=.
schema.index({ guildId: 1, gameUserId: 1 }, { name: memberIndexes.gameUserId });
// Every guild of a person, when their account changes.
schema.index({ chatUserId: 1 });
// GET …/members by status, newest link first, the numbers of GET …/overview, and the linked members of a guild.
schema.index({ guildId: 1, state: 1, present: 1, linkedAt: -1, _id: -1 }, { name: memberIndexes.linkedAt });
// GET …/members by status and Roblox name.
schema.index({ guildId: 1, state: 1, present: 1, gameUsername: 1, _id: 1 }, { name: memberIndexes.gameUsername });
// GET …/members?q=, from the start of a name.
schema.index({ guildId: 1, names: 1 }, { name: memberIndexes.names });
// Whom something stood in the way of that is gone.
schema.index(
  { guildId: 1, blockedBy: 1 },
  { name: memberIndexes.blockedBy, partialFilterExpression: { blockedBy: { $exists: true } } },
);
// GET …/differences, the newest first.
schema.index(
  { guildId: 1, 'difference.since': -1, _id: -1 },
  { name: memberIndexes.differs, partialFilterExpression: { 'difference.since': { $exists: true } } },
);
// The same by role and reason.
schema.index(
  { guildId: 1, 'difference.about': 1, 'difference.since': -1, _id: -1 },
  { name: memberIndexes.differsAbout, partialFilterExpression: { 'difference.since': { $exists: true } } },
);
// Who was last synced as the holder of a role on Roblox.
schema.index(
  { 'wentBy.held': 1 },
  { name: memberIndexes.wentByHeld, partialFilterExpression: { 'wentBy.held': { $exists: true } } },
);
// Whose roles something changes back: the guild's health.
schema.index(
  { guildId: 1, contested: 1 },
  { name: memberIndexes.contested, partialFilterExpression: { contested: { $exists: true } } },
);
// Who was linked since the watch of ranks last looked.
schema.index({ linkedAt: 1 }, { partialFilterExpression: { linkedAt: { $exists: true } } });
// Whom to link now that their account is old enough.
schema.index({ linkDueAt: 1 }, { partialFilterExpression: { linkDueAt: { $exists: true } } });
// How many game accounts of a guild's members are gone: its health.
schema.index({ guildId: 1, goneSince: 1 }, { partialFilterExpression: { goneSince: { $exists: true } } });
// How many syncs are owed and due in all guilds: GET /api/admin/metrics.
schema.index({ 'owedSync.dueAt': 1 }, { partialFilterExpression: { 'owedSync.dueAt': { $exists: true } } });
// The next sync that is due, guild by guild.
schema.index(
  { guildId: 1, 'owedSync.dueAt': 1 },
  { name: memberIndexes.dueAt, partialFilterExpression: { 'owedSync.dueAt': { $exists: true } } },
);
// The next reading of an account that is due, guild by guild.
schema.index(
  { guildId: 1, traitsDueAt: 1 },
  { name: memberIndexes.traitsDueAt, partialFilterExpression: { traitsDueAt: { $exists: true } } },
);
// The next message for who joined.
schema.index(
  { 'joinMessage.dueAt': 1 },
  { name: memberIndexes.joinMessage, partialFilterExpression: { 'joinMessage.dueAt': { $exists: true } } },
);
// purgeStrangers: who left long ago and never was linked.
schema.index(
  { presenceAt: 1 },
  { name: memberIndexes.strangers, partialFilterExpression: { state: 'joined', present: false } },
);

giveOutbox(schema);

export const Members = new GuildModel<Member>('Member', schema);

/** From so many failures in a row on, the tries of a sync that is owed are a day apart, and before that at most an hour. */
export const frequentAttempts = 32;

const debts = { model: Members.acrossGuilds, field: 'owedSync.dueAt', hint: { 'owedSync.dueAt': 1 } } as const;
declareDueTime({ ...debts, longestMs: hourMs, among: { 'owedSync.attempts': { $lt: frequentAttempts } } });
declareDueTime({ ...debts, longestMs: dayMs });
const { joinMessage, traitsDueAt } = memberIndexes;
declareDueTime({ model: Members.acrossGuilds, field: 'joinMessage.dueAt', hint: joinMessage, longestMs: hourMs });
declareDueTime({ model: Members.acrossGuilds, field: 'traitsDueAt', hint: traitsDueAt, longestMs: dayMs });
declareDueTime({ model: Members.acrossGuilds, field: 'linkDueAt', hint: { linkDueAt: 1 }, longestMs: dayMs });

/** The fields of somebody who was not known in the guild before (`$setOnInsert`); whether they are there is set. */
export function newcomer({ username: chatUsername, avatar = null, pending }: Omit<DiscordPerson, 'chatUserId'>) {
  const shown = { ...(avatar !== null && { chatAvatar: avatar }), ...(pending === true && { pending }) };
  const seen = { chatUsername, ...shown };
  return { ...seen, state: 'joined' as const, autoLinkBlocked: false, names: searchNames(chatUsername) };
}

/** What is kept of how Discord shows somebody. */
export type ShownMember = Pick<Member, 'chatUsername' | 'chatAvatar' | 'gameUsername' | 'gameDisplayName' | 'pending'>;

/**
 * What keeps how Discord shows somebody now: their name, their picture, and whether they have yet to accept the rules of
 * the guild. Null where all is kept already, or not told. Pure.
 */
export function shownChange(member: ShownMember, { username, avatar, pending }: Omit<DiscordPerson, 'chatUserId'>) {
  const { chatAvatar = null, gameUsername, gameDisplayName } = member;
  const known = [username, gameUsername, gameDisplayName].filter((name) => name !== undefined);
  const isOther = avatar !== undefined && avatar !== chatAvatar;
  const isArrived = pending === false && member.pending === true;
  const $set = {
    ...(username !== member.chatUsername && { chatUsername: username, names: searchNames(...known) }),
    ...(isOther && avatar !== null && { chatAvatar: avatar }),
    ...(pending === true && member.pending === undefined && { pending }),
  };
  const $unset = {
    ...(isOther && avatar === null && { chatAvatar: 1 as const }),
    ...(isArrived && { pending: 1 as const }),
  };
  if (Object.keys({ ...$set, ...$unset }).length === 0) return null;
  return { ...(Object.keys($set).length > 0 && { $set }), ...(Object.keys($unset).length > 0 && { $unset }) };
}

/**
 * Only a member whom nobody has synced under a later lease: the filter of a sync's writes. Fences rise with the database's
 * clock: one that is ahead by more than an hour is from before it was set back, and a process that was stopped for so
 * long knows by its own clock that its lease is over.
 */
export const syncedUpTo = (fence: number) => ({ syncFence: trusted({ $not: { $gt: fence, $lt: fence + hourMs } }) });

/** Adds to the syncs that are kept with a member (`$push`): the last ten. */
export function pushSync(record: SyncRecord) {
  return { syncs: { $each: [record], $slice: -10 } };
}

/**
 * Instead of the Discord name of somebody who was erased, in a guild whose settings leave the roles of the unlinked
 * alone: that they are unlinked is all that is kept of them there, or else the next resync would take the roles.
 */
export const namelessOne = '';

/** The `names` of a member. */
export function searchNames(...names: string[]): string[] {
  return [...new Set(names.map((name) => name.toLowerCase()))];
}
