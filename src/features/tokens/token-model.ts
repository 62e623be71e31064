import { Schema, trusted } from 'mongoose';
import type { TeamRole } from '../../core/actors/team-roles.js';
import { GuildModel } from '../../platforms/database/guild-model.js';

/** One bot token. The token itself is not stored, only its rights, so that it can be revoked (SPEC §2). */
export interface BotToken {
  /** `tok_` + 24 hex digits, which sort by age to the second. */
  _id: string;
  /** A guild's id, or `*` for the platform's own. */
  guildId: string;
  role: TeamRole;
  name: string;
  /** The chatUserId of a person, the id of another token, or `command line`. */
  createdBy: string;
  createdAt: Date;
  expiresAt: Date;
  /** Exact to the minute. */
  lastUsedAt?: Date;
  revokedAt?: Date;
}

const schema = new Schema<BotToken>(
  {
    _id: { type: String, required: true },
    guildId: { type: String, required: true },
    role: { type: String, required: true },
    name: { type: String, required: true },
    createdBy: { type: String, required: true },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    lastUsedAt: Date,
    revokedAt: Date,
  },
  { collection: 'bot_tokens', versionKey: false },
);
// The tokens of a guild by age: GET …/tokens.
schema.index({ guildId: 1, _id: 1 });
// The tokens that a person or token has made, which end with their maker.
schema.index({ createdBy: 1 });
// The purge of tokens that expired long ago.
schema.index({ expiresAt: 1 });

export const BotTokens = new GuildModel<BotToken>('BotToken', schema);

/** Part of a filter: tokens that are not revoked. */
export const notRevoked = () => ({ revokedAt: trusted({ $exists: false }) });
