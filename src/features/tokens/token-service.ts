import { trusted } from 'mongoose';
import { withTeamLease } from '../../core/access/team-lease.js';
import type { Actor } from '../../core/actors/actor.js';
import { highestRole, holds } from '../../core/actors/team-roles.js';
import type { TokenRanking } from '../../core/actors/token-ranking.js';
import { type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import { changesBetween } from '../../core/audit/changes-between.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import type { Page, PageQuery } from '../../lib/cursor.js';
import { Conflict, Forbidden, NotFound } from '../../lib/errors.js';
import { dayMs } from '../../lib/time.js';
import { type MintedToken, mintBotToken } from './bot-tokens.js';
import { type BotToken, BotTokens, notRevoked, type TokenRole, teamRoleOf } from './token-model.js';
import { revokeToken } from './token-revocation.js';
import { actorNow } from './token-standing.js';

export type { BotToken } from './token-model.js';

/** How long an expired token stays in the list, so that its users can see why it fails. */
const keptAfterExpiryMs = 30 * dayMs;

/** A page with a guild's tokens that are not revoked, oldest first, without those that expired 30 days ago. */
export function listTokens(guildId: string, query: PageQuery): Promise<Page<BotToken>> {
  return BotTokens.page({ guildId, ...notRevoked() }, query, { field: '_id', hint: { guildId: 1, _id: 1 } });
}

/** A guild's token that is not revoked. Throws NotFound `token_not_found`. */
export async function getToken(guildId: string, tokenId: string): Promise<BotToken> {
  const token = await BotTokens.findOne({ _id: tokenId, guildId, ...notRevoked() });
  if (token === null) throw new NotFound('token_not_found', 'There is no such token in this server.');
  return token;
}

/** The most tokens in a guild that are neither revoked nor expired (AUTH-22). */
const mostLiving = 25;

export interface TokenDraft {
  name: string;
  role: TokenRole;
  /** The limits of a `ranker`, and of no other. */
  ranking?: TokenRanking | undefined;
  expiresInDays: number;
}

/**
 * Creates a guild's token for a person; `text` is shown only now. Throws Forbidden for a token as actor, and for a role
 * above the actor's current one (AUTH-25). A concurrent demotion either sees this token or comes before it. Throws
 * Conflict `too_many_tokens`, ChatPlatformUnavailable.
 */
export async function createToken(
  guild: Guild,
  actor: Actor,
  { name, role, ranking, expiresInDays: days }: TokenDraft,
): Promise<MintedToken> {
  if (actor.kind !== 'user') throw new Forbidden('forbidden', "Only people can create tokens. A bot token can't.");
  return withTeamLease(guild._id, async () => {
    const { role: own } = await actorNow(actor, guild);
    if (!holds(own, teamRoleOf(role)) || !holds(own, 'admin')) {
      throw new Forbidden('forbidden', `No token is made above its maker's role; yours is ${own ?? 'gone'}.`);
    }
    await requireRoom(guild._id);
    const limits = ranking === undefined ? {} : { ranking };
    return mintBotToken({ guildId: guild._id, role, name, ...limits, createdBy: actor.id, days }, (token) =>
      entryOfToken(token, actor),
    );
  });
}

/** Makes a token on the command line: a guild's, or the platform's own (`*`). Throws Conflict `too_many_tokens`. */
export function createOnCommandLine(
  wish: Pick<BotToken, 'guildId' | 'role' | 'name'>,
  actor: Actor,
): Promise<MintedToken> {
  return withTeamLease(wish.guildId, async () => {
    if (wish.guildId !== '*') await requireRoom(wish.guildId);
    return mintBotToken({ ...wish, createdBy: 'command line' }, (token) => entryOfToken(token, actor));
  });
}

/** Refuses a token beyond the limit. Call it under the guild's team lease. */
async function requireRoom(guildId: string): Promise<void> {
  const living = await BotTokens.count({ guildId, ...notRevoked(), expiresAt: trusted({ $gt: clock.now() }) });
  if (living < mostLiving) return;
  throw new Conflict(
    'too_many_tokens',
    `A server can have at most ${mostLiving} valid tokens. Revoke one that nobody uses.`,
    { limit: mostLiving },
  );
}

/** Whether a game in the guild can hand in codes: the guild has a valid token of the role `game` or `verifier`. */
export async function takesGameCodes(guildId: string): Promise<boolean> {
  const role = trusted({ $in: ['game', 'verifier'] as const });
  const living = { guildId, role, ...notRevoked(), expiresAt: trusted({ $gt: clock.now() }) };
  return (await BotTokens.findOne(living)) !== null;
}

/** Any guild's or the platform's token, by its id alone: for the command line. */
export function findToken(tokenId: string): Promise<BotToken | null> {
  return BotTokens.acrossGuilds.findById(tokenId).lean<BotToken | null>().exec();
}

/** A new token's log entry, with everything except the token itself. */
function entryOfToken(token: BotToken, actor: Actor): NewEntry {
  const { _id: id, guildId, name } = token;
  return newEntry({
    guildId: guildId === '*' ? null : guildId,
    actor,
    action: 'token.created',
    target: { kind: 'token', id, name },
    changes: changesBetween(null, token, ['name', 'role', 'expiresAt', 'ranking']),
  });
}

/**
 * Revokes the guild's token immediately, and the tokens made with it. Throws NotFound `token_not_found`, also for a
 * revoked token, and Forbidden for one above the actor's current role.
 */
export function removeToken(guild: Guild, actor: Actor, tokenId: string): Promise<void> {
  return withTeamLease(guild._id, async () => {
    const token = await getToken(guild._id, tokenId);
    const { role: own } = await actorNow(actor, guild);
    if (!holds(own, teamRoleOf(token.role)) || !holds(own, 'admin')) {
      throw new Forbidden(
        'forbidden',
        `Revoking this token takes the role ${highestRole([teamRoleOf(token.role), 'admin'])}.`,
      );
    }
    await revokeToken(token, actor);
  });
}

/** Removes the rows for tokens that expired 30 days ago. A token without a row is refused too. */
export async function purgeTokens(now: Date): Promise<void> {
  const before = new Date(now.getTime() - keptAfterExpiryMs);
  await BotTokens.acrossGuilds.deleteMany({ expiresAt: trusted({ $lt: before }) });
}
