import { trusted } from 'mongoose';
import { z } from 'zod';
import { type TeamRole, teamRole, teamRoles } from '../../core/actors/team-roles.js';
import { tokenRanking } from '../../core/actors/token-ranking.js';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';

/**
 * The role of a bot token: a team role, `game` for a Roblox game (AUTH-65), `verifier`, which may only hand in codes
 * from a game (AUTH-23), or `ranker`, which may only rank people in Roblox groups (RANKING-21).
 */
export const tokenRole = z.enum([...teamRoles, 'game', 'verifier', 'ranker']);
export type TokenRole = z.output<typeof tokenRole>;

export function isTeamRole(role: TokenRole): role is TeamRole {
  return teamRole.safeParse(role).success;
}

/**
 * The team role needed for the rights of a token: a game's word is a claim, and managers make those. A ranker does what
 * its maker could at each use.
 */
export const teamRoleOf = (role: TokenRole): TeamRole => (isTeamRole(role) ? role : 'manager');

/** One bot token. The token itself is never stored, only its rights, so that it can be revoked (AUTH-20). */
export const botTokenFields = z.strictObject({
  /** `tok_` + 24 hex digits, which sort by age to the second. */
  _id: z.string(),
  /** A guild's id, or `*` for the platform's own. */
  guildId: z.string(),
  role: tokenRole,
  name: z.string(),
  /** The limits of a `ranker`. */
  ranking: tokenRanking.exactOptional(),
  createdBy: z.string().describe('The id of its maker, or `command line`.'),
  createdAt: z.date(),
  expiresAt: z.date().describe('Afterwards it is refused, and listed for 30 days more.'),
  /** Exact to the minute. */
  lastUsedAt: z.date().exactOptional(),
  revokedAt: z.date().exactOptional(),
});
export interface BotToken extends z.output<typeof botTokenFields>, WithOutbox {}

const schema = schemaOf<BotToken>('bot_tokens', botTokenFields);
// A guild's tokens by age: GET …/tokens.
schema.index({ guildId: 1, _id: 1 });
// The tokens that a person or token has made, which end with their maker.
schema.index({ createdBy: 1 });
// The purge for tokens that expired long ago.
schema.index({ expiresAt: 1 });

giveOutbox(schema);

export const BotTokens = new GuildModel<BotToken>('BotToken', schema);

export const notRevoked = () => ({ revokedAt: trusted({ $exists: false }) });
