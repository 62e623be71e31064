import { z } from 'zod';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { objectId, schemaOf } from '../../platforms/database/schema-of.js';
import { syncTrigger } from '../../platforms/events/event-types.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';

export type SyncTrigger = z.output<typeof syncTrigger>;

/** A sync that a member is owed, until it is done. */
const owedSyncFields = z.strictObject({
  /** Each debt has its own, so that a sync pays what it has seen and nothing that came to be meanwhile. */
  id: z.string(),
  trigger: syncTrigger,
  /** When the job may take it up; until then whoever made the change is doing it themselves. */
  dueAt: z.date(),
  /** Failed tries so far. */
  attempts: z.int(),
});
export type OwedSync = z.output<typeof owedSyncFields>;

/** What a sync is about to do to a member: written before Discord is asked, and gone once what it did is noted. */
const applyingSyncFields = z.strictObject({
  added: z.array(z.string()),
  removed: z.array(z.string()),
  nickname: z.string().nullable().exactOptional(),
  /** The nickname before. */
  formerNickname: z.string().nullable(),
});
export type ApplyingSync = z.output<typeof applyingSyncFields>;

/** What one sync did to a member, or why it failed. */
export const syncRecordFields = z.strictObject({
  at: z.date(),
  trigger: z.string(),
  added: z.array(z.string()),
  removed: z.array(z.string()),
  nickname: z.string().nullable().exactOptional(),
  blocked: z.array(z.strictObject({ roleId: z.string(), reason: z.string() })),
  /** The resync of the guild that it was a part of. */
  jobId: z.string().exactOptional(),
  /** The code of the error that it failed with. */
  error: z.string().exactOptional(),
});
export type SyncRecord = z.output<typeof syncRecordFields>;

/** The Roblox account of a person, as it was called when last seen. */
export interface GameIdentity {
  gameUserId: string;
  gameUsername: string;
  gameDisplayName: string;
}

/**
 * A person inside one guild. `joined` has never been linked there, `unlinked` was once. The fields of the game account
 * are there exactly while `linked`, and say the same as the person's Account (SPEC §1).
 */
export const memberFields = z.strictObject({
  _id: objectId,
  guildId: z.string(),
  chatUserId: z.string(),
  chatUsername: z.string(),
  state: z.enum(['joined', 'linked', 'unlinked']),
  /** Whether the person is in the guild on Discord. Who left keeps their link (SPEC §6.8). */
  present: z.boolean(),
  /** A guild admin unlinked them: only a proof made in this guild links them again (SPEC §1). */
  autoLinkBlocked: z.boolean(),
  /** Lower-case names for the search of GET …/members. */
  names: z.array(z.string()),
  gameUserId: z.string().exactOptional(),
  gameUsername: z.string().exactOptional(),
  gameDisplayName: z.string().exactOptional(),
  linkedAt: z.date().exactOptional(),
  /** When to link them by their account, which is too young for the guild, or whose age Roblox did not tell. */
  linkDueAt: z.date().exactOptional(),
  /** The nickname that we gave, so that unlinking takes back ours and nobody else's. */
  givenNickname: z.string().exactOptional(),
  /** The last ten, oldest first. */
  syncs: z.array(syncRecordFields),
  /** Set in the same write as what makes a sync necessary, so that no crash loses it. */
  owedSync: owedSyncFields.exactOptional(),
  /** Still there when a sync ends: a process that made one before was killed, or not told, before it could note it. */
  applying: applyingSyncFields.exactOptional(),
});
export interface Member extends z.output<typeof memberFields>, WithOutbox {}

/** The indexes of GET …/members: with several candidates each query names its own. */
export const memberIndexes = {
  chatUserId: 'guildId_1_chatUserId_1',
  gameUserId: 'guildId_1_gameUserId_1',
  linkedAt: 'guildId_1_state_1_linkedAt_-1__id_-1',
  gameUsername: 'guildId_1_state_1_gameUsername_1__id_1',
  names: 'guildId_1_names_1',
} as const;

const schema = schemaOf<Member>('members', memberFields);
// One document a person and guild; every lookup by memberId.
schema.index({ guildId: 1, chatUserId: 1 }, { unique: true, name: memberIndexes.chatUserId });
// The reverse lookup: GET …/members?gameUserId=.
schema.index({ guildId: 1, gameUserId: 1 }, { name: memberIndexes.gameUserId });
// Every guild of a person, when their account changes.
schema.index({ chatUserId: 1 });
// GET …/members by status, newest link first, and the number of linked members.
schema.index({ guildId: 1, state: 1, linkedAt: -1, _id: -1 }, { name: memberIndexes.linkedAt });
// The numbers of GET …/overview.
schema.index({ guildId: 1, state: 1, present: 1 });
// GET …/members by status and Roblox name.
schema.index({ guildId: 1, state: 1, gameUsername: 1, _id: 1 }, { name: memberIndexes.gameUsername });
// GET …/members?q=, from the start of a name.
schema.index({ guildId: 1, names: 1 }, { name: memberIndexes.names });
// The linked members of all guilds: GET /api/admin/metrics.
schema.index({ state: 1 });
// Who was linked since the watch of ranks last looked.
schema.index({ linkedAt: 1 }, { partialFilterExpression: { linkedAt: { $exists: true } } });
// Whom to link now that their account is old enough.
schema.index({ linkDueAt: 1 }, { partialFilterExpression: { linkDueAt: { $exists: true } } });
// What retry-syncs has to do now.
schema.index({ 'owedSync.dueAt': 1 }, { partialFilterExpression: { 'owedSync.dueAt': { $exists: true } } });

giveOutbox(schema);

export const Members = new GuildModel<Member>('Member', schema);

/** The fields of somebody who was not known in the guild before (`$setOnInsert`); whether they are there is set. */
export function newcomer(chatUsername: string) {
  return { chatUsername, state: 'joined' as const, autoLinkBlocked: false, names: searchNames(chatUsername) };
}

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
