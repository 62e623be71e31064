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

/** How an account was linked: proved by its person, or imported because a guild vouches for it. */
export const accountMethod = z.enum(['imported', ...proofMethod.options]);
export type AccountMethod = z.output<typeof accountMethod>;

/** The source of an imported account: a list, or another bot's API. */
export const importSource = z.enum(['list', 'bloxlink', 'rover', 'rowifi']);
export type ImportSource = z.output<typeof importSource>;

/** The platform-wide fact that a chat user owns a game account (ID-4). `_id` is the chatUserId. */
export interface Account extends GameIdentity {
  _id: string;
  method: AccountMethod;
  /** imported only: its source. */
  importedFrom?: ImportSource;
  linkedAt: Date;
  /** When Roblox created the account. Absent until it is read. */
  gameCreatedAt?: Date;
  /** The verification session that proved it. */
  provenBy?: string;
  /** game_code: the guilds whose own games vouch for it; it counts nowhere else (ID-11). */
  onlyIn?: string[];
  /** When a reading of Roblox first reported it as deleted or banned. A second reading has to confirm it. */
  missingSince?: Date;
  /** When that was confirmed. */
  goneSince?: Date;
  /** When its names were last requested from Roblox. */
  namesReadAt?: Date;
  /** Only for members of a guild with mappings that need traits. */
  traits?: StoredTraits;
}

/**
 * What Roblox reports about a game account besides its names, for conditions (ROBLOX-14). Void for any other account.
 */
export interface StoredTraits {
  gameUserId: string;
  premium?: boolean;
  premiumReadAt?: Date;
  /** By `itemKey`; null: the inventory was private. */
  items: { item: string; owned: boolean | null; readAt: Date }[];
}

/** A notice still to send to the person: somebody else changed their account. */
export interface AccountNotice {
  id: string;
  kind: 'set' | 'transferred' | 'removed';
  /** The account that the change gave (`set`) or took. */
  gameUserId: string;
  gameUsername: string;
  since: Date;
}

/**
 * A stored account. Without a game account it stays only until every guild and the person know that the link is gone.
 * `unsettled` is set in the same write as the change, and cleared once every guild of the person is up to date. After a
 * crash the job `settle-accounts` continues.
 */
export interface StoredAccount extends Partial<Omit<Account, '_id'>>, WithOutbox {
  _id: string;
  unsettled?: {
    id: string;
    reason: UnlinkReason;
    actor: Pick<Actor, 'kind' | 'id' | 'name'>;
    since: Date;
    /**
     * The guild that learns of the link from its own verification session; other guilds learn of it when they are
     * settled.
     */
    provenIn?: string;
  };
  notices?: AccountNotice[];
}

/** The index of accounts with a game account, by the time their names were read. */
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
// A game account belongs to one chat user at a time (ID-4); also finds the owner of a game account.
schema.index({ gameUserId: 1 }, { unique: true, partialFilterExpression: { gameUserId: { $type: 'string' } } });
// Finds accounts that settle-accounts has left to do.
schema.index({ 'unsettled.since': 1 }, { partialFilterExpression: { 'unsettled.since': { $exists: true } } });
// Finds accounts that need a second reading.
schema.index({ missingSince: 1 }, { partialFilterExpression: { missingSince: { $exists: true } } });
// Finds the accounts with the oldest names.
schema.index({ namesReadAt: 1 }, { name: byNamesReadAt, partialFilterExpression: { gameUserId: { $type: 'string' } } });

// Finds accounts with unsent notices.
schema.index({ 'notices.since': 1 }, { partialFilterExpression: { 'notices.since': { $exists: true } } });

giveOutbox(schema);

export const Accounts = model<StoredAccount>('Account', schema);
declareDueTime({ model: Accounts, field: 'missingSince', hint: { missingSince: 1 }, longestMs: 0 });

/** The fields of a link. An account without these fields has no game account. */
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

/** Marks an account so that its person's guilds are brought up to date. */
export function unsettledBy(reason: UnlinkReason, { kind, id, name }: Actor): NonNullable<StoredAccount['unsettled']> {
  return { id: newSecret(), reason, actor: { kind, id, name }, since: clock.now() };
}

/** A stored account without the game account that a later proof took: the next start ends its links. */
export function withoutGame<T extends object>(stored: T): T & Pick<StoredAccount, 'unsettled'> {
  const kept = Object.entries(stored).filter(([field]) => !(field in gameFields));
  return { ...(Object.fromEntries(kept) as T), unsettled: unsettledBy('transferred', systemActor('restore')) };
}

/** Removes an account with nothing left to do. If its outbox still holds entries, the relay removes it later. */
export async function removeAccount(which: QueryFilter<StoredAccount>): Promise<void> {
  const filled = { ...which, 'outbox.0': trusted({ $exists: true }) };
  const kept = await Accounts.updateOne(filled, { $set: { removedAt: clock.now() }, $unset: { unsettled: 1 } });
  if (kept.matchedCount === 0) await Accounts.deleteOne(which);
}
