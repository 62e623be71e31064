import { model, Schema } from 'mongoose';
import type { Actor } from '../../core/actors/actor.js';
import type { VerificationMethod } from '../../core/settings/guild-settings.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';
import type { GameIdentity } from './member-model.js';

/** Why a link ended (SPEC §7, `member.unlinked`). */
export type UnlinkReason = 'self' | 'admin' | 'transferred' | 'erased';

/** The platform-wide fact that a chat user owns a game account (SPEC §1). `_id` is the chatUserId. */
export interface Account extends GameIdentity {
  _id: string;
  method: VerificationMethod;
  linkedAt: Date;
}

/**
 * How an account is stored. Without a game account it is only there until every guild knows that the link is gone.
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
}

const schema = new Schema<StoredAccount>(
  {
    _id: { type: String, required: true },
    gameUserId: String,
    gameUsername: String,
    gameDisplayName: String,
    method: String,
    linkedAt: Date,
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
  },
  { collection: 'accounts', versionKey: false },
);
// One game account belongs to one chat user at a time (SPEC §1); its owner by game account.
schema.index({ gameUserId: 1 }, { unique: true, partialFilterExpression: { gameUserId: { $type: 'string' } } });
// What settle-accounts has left to do.
schema.index({ 'unsettled.since': 1 }, { partialFilterExpression: { 'unsettled.since': { $exists: true } } });

giveOutbox(schema);

export const Accounts = model<StoredAccount>('Account', schema);
