import { model } from 'mongoose';
import { z } from 'zod';
import { storedActor } from '../../core/actors/actor.js';
import { author } from '../../core/actors/reach.js';
import { proofMethod } from '../../core/settings/guild-settings.js';
import { minuteMs } from '../../lib/time.js';
import { declareDueTime } from '../../platforms/database/due-times.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';
import { accountUse } from '../accounts/account-use.js';
import { failureReason } from './failure-words.js';

/** A Roblox sign-in in progress. Each part is sealed under a secret, and only its holder can read it. */
const storedOAuth = z.strictObject({
  /** `state`'s SHA-256, which identifies the browser that comes back from Roblox. */
  stateHash: z.string(),
  /** The authorization URL, sealed under the session's token. */
  sealedUrl: z.string(),
  /** Token, PKCE verifier and nonce, sealed under `state`. */
  sealedSecrets: z.string(),
  /** The SHA-256 of the code that gave the account in `game`. */
  codeHash: z.string().exactOptional(),
});
export type StoredOAuth = z.output<typeof storedOAuth>;

/** A Roblox account that Discord knows the person by: its id, and its name when it was connected. */
const connectedGame = z.strictObject({ gameUserId: z.string(), name: z.string() });

const provenGame = z.strictObject({
  gameUserId: z.string(),
  gameUsername: z.string(),
  gameDisplayName: z.string(),
  /** When Roblox made the account; absent from when a code is redeemed until the profile is read. */
  gameCreatedAt: z.date().optional(),
});
export type ProvenGame = z.output<typeof provenGame>;

/** One verification session (ID-2). `_id` is its token's SHA-256, which is stored nowhere in the clear. */
export const verificationFields = z.strictObject({
  _id: z.string(),
  guildId: z.string().nullable(),
  chatUserId: z.string(),
  chatUsername: z.string(),
  /** The guild of the bot token that began it, `*` for the platform's token; null if the person began it. */
  tokenGuildId: z.string().nullable(),
  method: proofMethod,
  /** `expired` is not stored; it follows from `expiresAt`. */
  state: z.enum(['pending', 'awaiting_confirmation', 'awaiting_transfer', 'completed', 'failed']),
  /** Why the last proof failed; null unless `failed`. */
  reason: failureReason.nullable(),
  /** profile_code: the words for the profile; game_code: the code to type in the game. */
  phrase: z.string().nullable(),
  /** game_code: the session's token, for the question to its person. Missing in older sessions. */
  sealedToken: z.string().nullable().exactOptional(),
  oauth: storedOAuth.nullable(),
  /** discord_connection: the accounts that Discord reported with the person's permission. Missing in older sessions. */
  connected: z.array(connectedGame).nullable().exactOptional(),
  /** As the person typed it; reused by the next try. */
  gameUsername: z.string().nullable(),
  /** The proven account. A Roblox code works once, so its account is stored before it is linked. */
  game: provenGame.nullable(),
  /** The account is proved, and its person has yet to choose its use beside another one (VER-35). */
  choosing: z.literal(true).exactOptional(),
  /** The choice that they made. */
  use: accountUse.exactOptional(),
  /** game_code: the author behind the token that handed the code in, whose reach limits the link's roles (AUTH-62). */
  voucher: author.exactOptional(),
  /** Proofs started so far, without those that Roblox left unanswered. */
  attempts: z.int(),
  /** The proof being checked. After `until` its process counts as dead. */
  proof: z.strictObject({ id: z.string(), until: z.date(), by: storedActor }).nullable(),
  /** awaiting_transfer: the account's owner, whether they were notified, and the proof that waits. */
  transfer: z.strictObject({ ownerId: z.string(), told: z.boolean(), since: z.date(), by: storedActor }).nullable(),
  createdAt: z.date(),
  /** When the time to prove or confirm it ends; for a transfer, when the account moves. */
  expiresAt: z.date(),
});
export interface StoredVerification extends z.output<typeof verificationFields>, WithOutbox {}

const schema = schemaOf<StoredVerification>('verification_sessions', verificationFields);
// The sessions that a person began within the last hour.
schema.index({ chatUserId: 1, createdAt: 1 });
// The session for a browser that comes back from Roblox.
schema.index({ 'oauth.stateHash': 1 }, { partialFilterExpression: { 'oauth.stateHash': { $exists: true } } });
// The session for a code that was typed in a guild's game.
schema.index({ guildId: 1, phrase: 1 }, { partialFilterExpression: { method: 'game_code' } });
// Finds proofs that a crash interrupted.
schema.index({ 'proof.until': 1 }, { partialFilterExpression: { 'proof.until': { $exists: true } } });
// Finds transfers that are due or have an owner to notify.
schema.index({ 'transfer.since': 1 }, { partialFilterExpression: { 'transfer.since': { $exists: true } } });
// The purge for old sessions.
schema.index({ expiresAt: 1 });

giveOutbox(schema);

export const Verifications = model<StoredVerification>('Verification', schema);

/** Longer than the slowest proof: three calls to Roblox at 15 s with their retries, and the writes. */
export const proofLifeMs = minuteMs;
declareDueTime({
  // A clock's small step back ends no proof that is under way.
  ...{ model: Verifications, field: 'proof.until', longestMs: 2 * proofLifeMs },
  hint: { 'proof.until': 1 },
});
