import { trusted } from 'mongoose';
import { roleInGuild } from '../../core/access/guild-access.js';
import { withTeamLease } from '../../core/access/team-lease.js';
import type { Actor } from '../../core/actors/actor.js';
import { holds, type TeamRole } from '../../core/actors/team-roles.js';
import { type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import { changesBetween } from '../../core/audit/changes-between.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import type { Page, PageQuery } from '../../lib/cursor.js';
import { Forbidden, NotFound } from '../../lib/errors.js';
import { dayMs } from '../../lib/time.js';
import { mintBotToken } from './bot-tokens.js';
import { type BotToken, BotTokens, notRevoked } from './token-model.js';
import { revokeToken } from './token-revocation.js';

export type { BotToken } from './token-model.js';

/** How long an expired token stays in the list, so that its users can see why it fails. */
const keptAfterExpiryMs = 30 * dayMs;

/** A page of a guild's tokens that are not revoked, oldest first, without those that expired 30 days ago. */
export function listTokens(guildId: string, query: PageQuery): Promise<Page<BotToken>> {
  return BotTokens.page({ guildId, ...notRevoked() }, query, '_id');
}

/**
 * Makes a token of a guild; `text` is shown only now. Throws Forbidden for a role above the actor's own (SPEC §2), also
 * when they lost it a moment ago: a demotion either sees this token or comes before it.
 */
export function createToken(
  guild: Guild,
  actor: Actor,
  wish: { name: string; role: TeamRole; expiresInDays: number },
): Promise<{ token: BotToken; text: string }> {
  const { name, role, expiresInDays: days } = wish;
  return withTeamLease(guild._id, async () => {
    const own = await currentRole(actor, guild);
    if (!holds(own, role)) {
      throw new Forbidden('forbidden', `No token is made above its maker's role; yours is ${own ?? 'gone'}.`);
    }
    return mintBotToken({ guildId: guild._id, role, name, createdBy: actor.id, days }, (token) =>
      entryOfToken(token, actor),
    );
  });
}

/** A token of any guild or the platform, by its id alone: for the command line. */
export function findToken(tokenId: string): Promise<BotToken | null> {
  return BotTokens.acrossGuilds.findById(tokenId).lean<BotToken | null>().exec();
}

/** The log entry of a new token, with everything except the token itself. */
export function entryOfToken(token: BotToken, actor: Actor): NewEntry {
  const { _id: id, guildId, name } = token;
  return newEntry({
    guildId: guildId === '*' ? null : guildId,
    actor,
    action: 'token.created',
    target: { kind: 'token', id, name },
    changes: changesBetween(null, token, ['name', 'role', 'expiresAt']),
  });
}

/**
 * Revokes a token of the guild at once, and the tokens made with it. Throws NotFound `token_not_found`, also for a
 * token that is already revoked, and Forbidden for one above the actor's own role.
 */
export function removeToken(guild: Guild, actor: Actor, tokenId: string): Promise<void> {
  return withTeamLease(guild._id, async () => {
    const token = await BotTokens.findOne({ _id: tokenId, guildId: guild._id, ...notRevoked() });
    if (token === null) throw new NotFound('token_not_found', 'There is no such token in this guild.');
    if (!holds(actor.role, token.role)) {
      throw new Forbidden('forbidden', `Revoking this token takes the role ${token.role}.`);
    }
    await revokeToken(token, actor);
  });
}

/** Removes the rows of tokens that expired 30 days ago. A token without a row is refused too. */
export async function purgeTokens(now: Date): Promise<void> {
  const before = new Date(now.getTime() - keptAfterExpiryMs);
  await BotTokens.acrossGuilds.deleteMany({ expiresAt: trusted({ $lt: before }) });
}

/** The actor's role in the guild now, which may be less than when their request began. */
async function currentRole(actor: Actor, guild: Guild): Promise<TeamRole | null> {
  if (actor.kind !== 'bot_token') return roleInGuild(actor, guild);
  const token = await BotTokens.findOne({ _id: actor.id, guildId: actor.tokenGuildId ?? '', ...notRevoked() });
  return token?.role ?? null;
}
