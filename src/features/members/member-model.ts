import { Schema, type Types } from 'mongoose';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';

/** What made a sync happen (SPEC §7, `role.synced`). */
export type SyncTrigger = 'verification' | 'link' | 'unlink' | 'join' | 'command' | 'api' | 'resync';

/** A sync that a member is owed, until it is done. */
export interface OwedSync {
  /** Each debt has its own, so that a sync pays what it has seen and nothing that came to be meanwhile. */
  id: string;
  trigger: SyncTrigger;
  /** When the job may take it up; until then whoever made the change is doing it themselves. */
  dueAt: Date;
  /** Failed tries so far. */
  attempts: number;
}

/** What a sync is about to do to a member: written before Discord is asked, and gone once what it did is noted. */
export interface ApplyingSync {
  added: string[];
  removed: string[];
  nickname?: string | null;
  /** The nickname before. */
  formerNickname: string | null;
}

/** What one sync did to a member, or why it failed. */
export interface SyncRecord {
  at: Date;
  trigger: string;
  added: string[];
  removed: string[];
  nickname?: string | null;
  blocked: { roleId: string; reason: string }[];
  /** The resync of the guild that it was a part of. */
  jobId?: string;
  /** The code of the error that it failed with. */
  error?: string;
}

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
export interface Member extends Partial<GameIdentity>, WithOutbox {
  _id: Types.ObjectId;
  guildId: string;
  chatUserId: string;
  chatUsername: string;
  state: 'joined' | 'linked' | 'unlinked';
  /** Whether the person is in the guild on Discord. Who left keeps their link (SPEC §6.8). */
  present: boolean;
  /** A guild admin unlinked them: only a proof made in this guild links them again (SPEC §1). */
  autoLinkBlocked: boolean;
  /** Lower-case names for the search of GET …/members. */
  names: string[];
  linkedAt?: Date;
  /** The nickname that we gave, so that unlinking takes back ours and nobody else's. */
  givenNickname?: string;
  /** The last ten, oldest first. */
  syncs: SyncRecord[];
  /** Set in the same write as what makes a sync necessary, so that no crash loses it. */
  owedSync?: OwedSync;
  /** Still there when a sync ends: a process that made one before was killed, or not told, before it could note it. */
  applying?: ApplyingSync;
}

const syncRecord = new Schema<SyncRecord>(
  {
    at: Date,
    trigger: String,
    added: [String],
    removed: [String],
    nickname: String,
    blocked: [{ roleId: String, reason: String, _id: false }],
    jobId: String,
    error: String,
  },
  { _id: false },
);

/** The indexes of GET …/members: with several candidates each query names its own. */
export const memberIndexes = {
  chatUserId: 'guildId_1_chatUserId_1',
  gameUserId: 'guildId_1_gameUserId_1',
  linkedAt: 'guildId_1_state_1_linkedAt_-1__id_-1',
  gameUsername: 'guildId_1_state_1_gameUsername_1__id_1',
  names: 'guildId_1_names_1',
} as const;

const schema = new Schema<Member>(
  {
    guildId: { type: String, required: true },
    chatUserId: { type: String, required: true },
    chatUsername: { type: String, required: true },
    state: { type: String, required: true },
    present: { type: Boolean, required: true },
    autoLinkBlocked: { type: Boolean, required: true },
    names: { type: [String], required: true },
    gameUserId: String,
    gameUsername: String,
    gameDisplayName: String,
    linkedAt: Date,
    givenNickname: String,
    syncs: [syncRecord],
    owedSync: { type: { id: String, trigger: String, dueAt: Date, attempts: Number }, _id: false },
    applying: { type: { added: [String], removed: [String], nickname: String, formerNickname: String }, _id: false },
  },
  { collection: 'members', versionKey: false },
);
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
