import { model, Schema } from 'mongoose';
import type { VerificationMethod } from '../../core/settings/guild-settings.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';
import type { GameIdentity } from '../members/member-model.js';
import type { FailureReason } from './failure-words.js';

/** A started sign-in on Roblox. Each part can be read only with the secret it is sealed under. */
export interface StoredOAuth {
  /** SHA-256 of `state`, which identifies the browser that comes back from Roblox. */
  stateHash: string;
  /** The authorization URL, sealed under the session's token. */
  sealedUrl: string;
  /** Token, PKCE verifier and nonce, sealed under `state`. */
  sealedSecrets: string;
}

/** One verification session (SPEC §5). `_id` is the SHA-256 of its token; the token itself is not stored. */
export interface StoredVerification extends WithOutbox {
  _id: string;
  guildId: string | null;
  chatUserId: string;
  chatUsername: string;
  method: VerificationMethod;
  /** `expired` is not stored: `expiresAt` says it. */
  state: 'pending' | 'completed' | 'failed';
  /** Why the last proof failed; null unless `failed`. */
  reason: FailureReason | null;
  phrase: string | null;
  oauth: StoredOAuth | null;
  /** As the person typed it; reused by the next try. */
  gameUsername: string | null;
  /** The proven account. A Roblox code works once, so its account is stored before it is linked. */
  game: GameIdentity | null;
  /** Proofs started so far, without those that Roblox left unanswered. */
  attempts: number;
  /** The proof being checked. After `until` its process counts as dead. */
  proof: { id: string; until: Date } | null;
  createdAt: Date;
  expiresAt: Date;
}

const oauth = { stateHash: String, sealedUrl: String, sealedSecrets: String };
const game = { gameUserId: String, gameUsername: String, gameDisplayName: String };

const schema = new Schema<StoredVerification>(
  {
    _id: { type: String, required: true },
    guildId: { type: String, default: null },
    chatUserId: { type: String, required: true },
    chatUsername: { type: String, required: true },
    method: { type: String, required: true },
    state: { type: String, required: true },
    reason: { type: String, default: null },
    phrase: { type: String, default: null },
    oauth: { type: oauth, _id: false, default: null },
    gameUsername: { type: String, default: null },
    game: { type: game, _id: false, default: null },
    attempts: { type: Number, required: true },
    proof: { type: { id: String, until: Date }, _id: false, default: null },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'verification_sessions', versionKey: false },
);
// The sessions that a person began within the last hour.
schema.index({ chatUserId: 1, createdAt: 1 });
// The session of a browser that comes back from Roblox.
schema.index({ 'oauth.stateHash': 1 }, { partialFilterExpression: { 'oauth.stateHash': { $exists: true } } });
// The purge of old sessions.
schema.index({ expiresAt: 1 });

giveOutbox(schema);

export const Verifications = model<StoredVerification>('Verification', schema);
