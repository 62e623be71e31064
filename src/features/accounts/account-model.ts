import { model, type QueryFilter, Schema, trusted } from 'mongoose';
import { z } from 'zod';
import { type Actor, systemActor } from '../../core/actors/actor.js';
import { proofMethod } from '../../core/settings/guild-settings.js';
import { clock } from '../../lib/clock.js';
import { newSecret } from '../../lib/ids.js';
import { declareDueTime } from '../../platforms/database/due-times.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';
import type { UnlinkReason } from '../members/member-links.js';
import type { GameIdentity } from '../members/member-model.js';

/** How an account came to its person: by a proof of theirs, or imported on the word of a guild. */
export const accountMethod = z.enum(['imported', ...proofMethod.options]);
export type AccountMethod = z.output<typeof accountMethod>;

/** Where a guild has an imported account from: a list of its own, or another bot's API. */
export const importSource = z.enum(['list', 'bloxlink', 'rover', 'rowifi']);
export type ImportSource = z.output<typeof importSource>;

/** The platform-wide fact that a chat user owns a game account (ID-4). `_id` is the chatUserId. */
export interface Account extends GameIdentity {
  _id: string;
  method: AccountMethod;
  /** imported: where from. */
  importedFrom?: ImportSource;
  linkedAt: Date;
  /** When Roblox made the account. Absent where that was not read yet. */
  gameCreatedAt?: Date;
  /** The verification session that proved it. */
  provenBy?: string;
  /** game_code: the guilds whose own games say so; it counts nowhere else (ID-11). */
  onlyIn?: string[];
  /** Since when one reading of Roblox has said that it is deleted or banned, which the next has to confirm. */
  missingSince?: Date;
  /** Since when that is certain. */
  goneSince?: Date;
  /** When Roblox was last asked for its names. */
  namesReadAt?: Date;
  /** Only of who is in a guild whose mappings ask for it. */
  traits?: StoredTraits;
}

/** What Roblox said of a game account beside its names, for conditions (ROBLOX-14); of another account it counts no more. */
export interface StoredTraits {
  gameUserId: string;
  premium?: boolean;
  premiumReadAt?: Date;
  /** By `itemKey`; null: the inventory was private. */
  items: { item: string; owned: boolean | null; readAt: Date }[];
}

/** What the person still has to be told: somebody else did this to their account. */
export interface AccountNotice {
  id: string;
  kind: 'set' | 'transferred' | 'removed';
  /** The account that they have now by it (`set`), or have lost. */
  gameUserId: string;
  gameUsername: string;
  since: Date;
}

/**
 * How an account is stored. Without a game account it is only there until every guild, and the person, knows that the
 * link is gone.
 * `unsettled` is set in the same write as the change itself and cleared once every guild of the person is in line, so
 * that a crash in between loses nothing: the job `settle-accounts` goes on.
 */
export interface StoredAccount extends Partial<Omit<Account, '_id'>>, WithOutbox {
  _id: string;
  unsettled?: {
    id: string;
    reason: UnlinkReason;
    actor: Pick<Actor, 'kind' | 'id' | 'name'>;
    since: Date;
    /** The guild whose own verification session tells of the link; the others are told where they are brought in line. */
    provenIn?: string;
  };
  notices?: AccountNotice[];
}

/** The accounts with a game account, by when their names were read. */
export const byNamesReadAt = 'namesReadAt_1';

const schema = new Schema<StoredAccount>(
  {
    _id: { type: String, required: true },
    gameUserId: String,
    gameUsername: String,
    gameDisplayName: String,
    method: String,
    importedFrom: String,
    linkedAt: Date,
    gameCreatedAt: Date,
    provenBy: String,
    onlyIn: { type: [String], default: undefined },
    missingSince: Date,
    goneSince: Date,
    namesReadAt: Date,
    traits: {
      type: {
        gameUserId: String,
        premium: Boolean,
        premiumReadAt: Date,
        items: { type: [{ item: String, owned: Boolean, readAt: Date, _id: false }] },
      },
      _id: false,
      default: undefined,
    },
    unsettled: {
      type: {
        id: String,
        reason: String,
        actor: { kind: String, id: String, name: String },
        since: Date,
        provenIn: String,
      },
      _id: false,
    },
    notices: {
      type: [
        new Schema(
          { id: String, kind: String, gameUserId: String, gameUsername: String, since: Date },
          { _id: false, id: false },
        ),
      ],
      default: undefined,
    },
  },
  { collection: 'accounts', versionKey: false },
);
// One game account belongs to one chat user at a time (ID-4); its owner by game account.
schema.index({ gameUserId: 1 }, { unique: true, partialFilterExpression: { gameUserId: { $type: 'string' } } });
// What settle-accounts has left to do.
schema.index({ 'unsettled.since': 1 }, { partialFilterExpression: { 'unsettled.since': { $exists: true } } });
// Of which accounts a second reading has to say whether they are gone.
schema.index({ missingSince: 1 }, { partialFilterExpression: { missingSince: { $exists: true } } });
// Whose names were read longest ago.
schema.index({ namesReadAt: 1 }, { name: byNamesReadAt, partialFilterExpression: { gameUserId: { $type: 'string' } } });

// Of whom somebody still has to be told.
schema.index({ 'notices.since': 1 }, { partialFilterExpression: { 'notices.since': { $exists: true } } });

giveOutbox(schema);

export const Accounts = model<StoredAccount>('Account', schema);
declareDueTime({ model: Accounts, field: 'missingSince', hint: { missingSince: 1 }, longestMs: 0 });

/** What a link consists of. Without these fields an account has no game account. */
export const gameFields = {
  gameUserId: 1,
  gameUsername: 1,
  gameDisplayName: 1,
  method: 1,
  linkedAt: 1,
  gameCreatedAt: 1,
  provenBy: 1,
  importedFrom: 1,
  onlyIn: 1,
  missingSince: 1,
  goneSince: 1,
  namesReadAt: 1,
} as const;

/** Says that a person's guilds have to be brought in line with their account. */
export function unsettledBy(reason: UnlinkReason, { kind, id, name }: Actor): NonNullable<StoredAccount['unsettled']> {
  return { id: newSecret(), reason, actor: { kind, id, name }, since: clock.now() };
}

/** A stored account whose game account a later proof took: the next start ends its links. */
export function withoutGame<T extends object>(stored: T): T & Pick<StoredAccount, 'unsettled'> {
  const kept = Object.entries(stored).filter(([field]) => !(field in gameFields));
  return { ...(Object.fromEntries(kept) as T), unsettled: unsettledBy('transferred', systemActor('restore')) };
}

/** Removes an account of which nothing is left to do; the relay does it when its outbox holds something still. */
export async function removeAccount(which: QueryFilter<StoredAccount>): Promise<void> {
  const filled = { ...which, 'outbox.0': trusted({ $exists: true }) };
  const kept = await Accounts.updateOne(filled, { $set: { removedAt: clock.now() }, $unset: { unsettled: 1 } });
  if (kept.matchedCount === 0) await Accounts.deleteOne(which);
}
