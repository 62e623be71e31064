import { trusted } from 'mongoose';
import { z } from 'zod';
import { author } from '../../core/actors/reach.js';
import type { NewEntry } from '../../core/audit/audit-service.js';
import { hourMs } from '../../lib/time.js';
import { declareDueTime } from '../../platforms/database/due-times.js';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { objectId, schemaOf } from '../../platforms/database/schema-of.js';
import type { DiscordPerson } from '../../platforms/discord/guild-members.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';
import { memberFactsFields } from './member-facts.js';
import {
  applyingSyncFields,
  joinMessageFields,
  leftFields,
  pendingSyncFields,
  refusedPart,
  restoredFields,
  type SyncRecord,
  syncRecordFields,
  wentByFields,
} from './member-sync-fields.js';

/** A person's Roblox account, with its names as last seen. */
export interface GameIdentity {
  gameUserId: string;
  gameUsername: string;
  gameDisplayName: string;
}

/** The guild's word on which a link rests, instead of a proof by the person. */
export const guildWord = z.strictObject({
  method: z.enum(['imported', 'game_code']),
  /** An imported account's source. */
  importedFrom: z.string().exactOptional(),
  /** The author, whose reach limits the roles (AUTH-62). */
  voucher: author,
  /** Their nickname stays as it is as long as the link rests on this word. */
  keepsNickname: z.literal(true).exactOptional(),
});
export type GuildWord = z.output<typeof guildWord>;

/**
 * A person inside one guild. `joined` was never linked there, `unlinked` was once. The game account's fields exist
 * exactly while `linked`, and equal the person's Account (ID-4).
 */
export const memberFields = z.strictObject({
  _id: objectId,
  guildId: z.string(),
  chatUserId: z.string(),
  chatUsername: z.string(),
  chatAvatar: z.string().exactOptional(),
  /** They had not yet accepted the guild's rules at Discord's last report. */
  pending: z.literal(true).exactOptional(),
  state: z.enum(['joined', 'linked', 'unlinked']),
  /** Whether the person is in the guild on Discord. Members that left keep their link (SYNC-48). */
  present: z.boolean(),
  /** When last reported; earlier reads from Discord do not change it. */
  presenceAt: z.date().exactOptional(),
  /** A guild admin unlinked them: only a proof made in this guild links them again (ID-7). */
  autoLinkBlocked: z.boolean(),
  /** The link that an admin ended, for an undo within a day (ID-92). */
  adminUnlink: z
    .strictObject({ at: z.date(), gameUserId: z.string(), consent: z.literal('given').exactOptional() })
    .exactOptional(),
  /** Whether they let this guild see and use their account. A proof made here counts as consent (ID-20). */
  consent: z.enum(['given', 'refused']).exactOptional(),
  /** When consent was asked for by direct message, which is not repeated. */
  consentAskedAt: z.date().exactOptional(),
  /** Lower-case names for searches by GET …/members. */
  names: z.array(z.string()),
  gameUserId: z.string().exactOptional(),
  gameUsername: z.string().exactOptional(),
  gameDisplayName: z.string().exactOptional(),
  linkedAt: z.date().exactOptional(),
  /** The proved account that the person chose for this guild; absent: their main one (ID-94); or `erasedChoice`. */
  chosenGameUserId: z.string().exactOptional(),
  /** Absent for a link by the person's own proof. */
  word: guildWord.exactOptional(),
  /** The facts that the guild's game reported about this account. They end with the link (FACT-7). */
  facts: memberFactsFields.exactOptional(),
  /** Since when the game account is known to be deleted or banned (VER-31). */
  goneSince: z.date().exactOptional(),
  /** When to try again to link them by their account: it is too young for the guild, or has an unknown age. */
  linkDueAt: z.date().exactOptional(),
  /** Our last nickname that Discord accepted, so that unlinking removes no other. Null: Discord removed it whole. */
  givenNickname: z.string().nullable().exactOptional(),
  /** Their nickname before an import that was undone since, until it is put back. Null: they had none. */
  formerNickname: z.string().nullable().exactOptional(),
  /** The requested nickname, if Discord has changed it (SYNC-19). */
  askedNickname: z.string().exactOptional(),
  /**
   * Their Discord name when Discord made nothing from a nickname, as when both are equal. Under another name it is
   * asked again.
   */
  namelessAs: z.string().exactOptional(),
  /** The last ten syncs, oldest first. */
  syncs: z.array(syncRecordFields),
  /** Set in the same write as the sync's cause, so that no crash loses it. */
  owedSync: pendingSyncFields.exactOptional(),
  /** When to read their account's unknown traits for mappings (`trait-readings.ts`). */
  traitsDueAt: z.date().exactOptional(),
  /** Their latest join was not checked for a message yet (DISC-36). */
  joinUntold: z.literal(true).exactOptional(),
  /** The pending message for new unverified members, with its due time. */
  joinMessage: joinMessageFields.exactOptional(),
  /** When they were notified about their kick, so that retries do not repeat it. */
  kickToldAt: z.date().exactOptional(),
  /** A kick's log entry, stored before the call to Discord. Removed once it is logged, or after a sync instead. */
  kicking: z.custom<NewEntry>().exactOptional(),
  /** Their last sync's obstacles, in the words of sync planning. They get a sync when these are gone. */
  blockedBy: z.array(z.string()).exactOptional(),
  /** Since when an admin leaves them out: nothing about them is changed on Discord (OBS-117). */
  leftOut: z.date().exactOptional(),
  /** The parts in their last sync that Discord refused. */
  refused: z.array(refusedPart).exactOptional(),
  wentBy: wentByFields.exactOptional(),
  left: leftFields.exactOptional(),
  /** In a guild in observe mode: the last sync would have made changes, which the difference plan holds (OBS-3). */
  differs: z.literal(true).exactOptional(),
  /** The last few, oldest first. */
  restored: z.array(restoredFields).exactOptional(),
  /** Roles, or the nickname, that are repeatedly changed back, so that syncs stopped setting them. */
  contested: z.array(z.string()).exactOptional(),
  /** The last sync's lease fence that wrote here. A sync with a smaller one was taken over, and writes nothing. */
  syncFence: z.number().exactOptional(),
  /** They are being erased: their nickname is taken back in a guild in observe mode too. */
  erasing: z.literal(true).exactOptional(),
  /** Still set after a sync if an earlier process crashed, or got no answer, before it could record its changes. */
  applying: applyingSyncFields.exactOptional(),
});
export interface Member extends z.output<typeof memberFields>, WithOutbox {}

/** The indexes for queries that could use several: each names its own. */
export const memberIndexes = {
  chatUserId: 'guildId_1_chatUserId_1',
  gameUserId: 'guildId_1_gameUserId_1',
  linkedAt: 'guildId_1_state_1_present_1_linkedAt_-1__id_-1',
  gameUsername: 'guildId_1_state_1_present_1_gameUsername_1__id_1',
  blockedBy: 'guildId_1_blockedBy_1',
  dueAt: 'guildId_1_owedSync.dueAt_1',
  joinMessage: 'joinMessage.dueAt_1',
  neverLinked: 'presenceAt_1',
  traitsDueAt: 'guildId_1_traitsDueAt_1',
  wentByHeld: 'wentBy.held_1',
  contested: 'guildId_1_contested_1',
  differs: 'guildId_1_differs_1',
} as const;

const schema = schemaOf<Member>('members', memberFields);
// One document per person and guild; every lookup by memberId.
schema.index({ guildId: 1, chatUserId: 1 }, { unique: true, name: memberIndexes.chatUserId });
// The reverse lookup: GET …/members?gameUserId=.
schema.index(
  { guildId: 1, gameUserId: 1 },
  { name: memberIndexes.gameUserId, partialFilterExpression: { gameUserId: { $exists: true } } },
);
// Every guild of a person, when their account changes.
schema.index({ chatUserId: 1 });
// GET …/members by status, newest link first, the numbers of GET …/overview, and a guild's linked members.
schema.index({ guildId: 1, state: 1, present: 1, linkedAt: -1, _id: -1 }, { name: memberIndexes.linkedAt });
// GET …/members by status and Roblox name.
schema.index({ guildId: 1, state: 1, present: 1, gameUsername: 1, _id: 1 }, { name: memberIndexes.gameUsername });
// Finds members blocked by an obstacle that is gone.
schema.index(
  { guildId: 1, blockedBy: 1 },
  { name: memberIndexes.blockedBy, partialFilterExpression: { blockedBy: { $exists: true } } },
);
// GET …/members?state=differs.
schema.index(
  { guildId: 1, differs: 1 },
  { name: memberIndexes.differs, partialFilterExpression: { differs: { $exists: true } } },
);
// Finds members that were last synced as a Roblox role's holders: for pending syncs, and GET …/members?rank=.
schema.index(
  { 'wentBy.held': 1 },
  { name: memberIndexes.wentByHeld, partialFilterExpression: { 'wentBy.held': { $exists: true } } },
);
// Finds members with roles that something changes back, for the guild's health.
schema.index(
  { guildId: 1, contested: 1 },
  { name: memberIndexes.contested, partialFilterExpression: { contested: { $exists: true } } },
);
// Finds members linked since the rank watch last polled.
schema.index({ linkedAt: 1 }, { partialFilterExpression: { linkedAt: { $exists: true } } });
// Finds members to link, since their account is old enough.
schema.index({ linkDueAt: 1 }, { partialFilterExpression: { linkDueAt: { $exists: true } } });
// A guild's gone game accounts, counted, for its health.
schema.index({ guildId: 1, goneSince: 1 }, { partialFilterExpression: { goneSince: { $exists: true } } });
// The next due sync, guild by guild; pending sync counts in GET /api/admin/metrics, from the index alone.
schema.index(
  { guildId: 1, 'owedSync.dueAt': 1 },
  { name: memberIndexes.dueAt, partialFilterExpression: { 'owedSync.dueAt': { $exists: true } } },
);
// An account's next due reading, guild by guild.
schema.index(
  { guildId: 1, traitsDueAt: 1 },
  { name: memberIndexes.traitsDueAt, partialFilterExpression: { traitsDueAt: { $exists: true } } },
);
// Finds the next join message.
schema.index(
  { 'joinMessage.dueAt': 1 },
  { name: memberIndexes.joinMessage, partialFilterExpression: { 'joinMessage.dueAt': { $exists: true } } },
);
// For purgeNeverLinked: people that left long ago and never were linked.
schema.index(
  { presenceAt: 1 },
  { name: memberIndexes.neverLinked, partialFilterExpression: { state: 'joined', present: false } },
);

giveOutbox(schema);

export const Members = new GuildModel<Member>('Member', schema);

/** After this many failures in a row, a pending sync's retries are a day apart; before that at most an hour. */
export const frequentAttempts = 32;

declareDueTime({
  ...{ model: Members.acrossGuilds, field: 'owedSync.dueAt', hint: memberIndexes.dueAt, longestMs: hourMs },
  among: { 'owedSync.attempts': { $lt: frequentAttempts } },
});

/** The fields for a person new to the guild (`$setOnInsert`); presence is set separately. */
export function newcomer({ username: chatUsername, avatar = null, pending }: Omit<DiscordPerson, 'chatUserId'>) {
  const shown = { ...(avatar !== null && { chatAvatar: avatar }), ...(pending === true && { pending }) };
  const seen = { chatUsername, ...shown };
  return { ...seen, state: 'joined' as const, autoLinkBlocked: false, names: searchNames(chatUsername) };
}

export type ShownMember = Pick<Member, 'chatUsername' | 'chatAvatar' | 'gameUsername' | 'gameDisplayName' | 'pending'>;

/**
 * The update to a person's appearance on Discord: their name, picture, and whether they have yet to accept the guild's
 * rules. Null if nothing has changed or is known. Pure.
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
 * The filter for a sync's writes: only a member that was not synced under a later lease. Fences rise with the
 * database's clock. One over an hour ahead stems from before the clock was set back. A process stopped for that long
 * knows by its own clock that its lease is over.
 */
export const syncedUpTo = (fence: number) => ({ syncFence: trusted(upToFence(fence)) });

/** Takes back a begun sync that has made nothing: the member was last synced under the `fence` before. */
export const unbegun = (fence: number | undefined) => ({
  $unset: { applying: 1 as const, ...(fence === undefined && { syncFence: 1 as const }) },
  ...(fence !== undefined && { $set: { syncFence: fence } }),
});

export const upToFence = (fence: number) => ({ $not: { $gt: fence, $lt: fence + hourMs } });

export function pushSync(record: SyncRecord) {
  return { syncs: { $each: [record], $slice: -10 } };
}

/**
 * Replaces an erased person's Discord name in a guild that keeps unlinked members' roles. Only the ended link is
 * recorded there, since otherwise the next resync would take the roles.
 */
export const namelessOne = '';

/** Replaces the account that a person chose for a guild once that one is erased. */
export const erasedChoice = 'erased';

export function searchNames(...names: string[]): string[] {
  return [...new Set(names.map((name) => name.toLowerCase()))];
}
