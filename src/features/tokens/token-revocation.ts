import { roleOfPerson } from '../../core/access/guild-access.js';
import { type Actor, systemActor } from '../../core/actors/actor.js';
import { holds, type TeamRole } from '../../core/actors/team-roles.js';
import { enterLog, newEntry } from '../../core/audit/audit-service.js';
import { findPresentGuild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { ChatPlatformUnavailable } from '../../lib/errors.js';
import { snowflake } from '../../lib/ids.js';
import { push } from '../../platforms/events/outbox.js';
import { type BotToken, BotTokens, notRevoked } from './token-model.js';

/**
 * Revokes a token at once, and the tokens that were made with it, since whoever had it could make them. Returns false
 * when it was already revoked. Each revocation is logged.
 */
export async function revokeToken({ _id, guildId, name, role }: BotToken, actor: Actor): Promise<boolean> {
  const entry = newEntry({
    guildId: guildId === '*' ? null : guildId,
    actor,
    action: 'token.revoked',
    target: { kind: 'token', id: _id, name },
    changes: { role: { from: role, to: null } },
  });
  const change = { $set: { revokedAt: clock.now() }, ...push(entry) };
  if ((await BotTokens.update({ _id, guildId, ...notRevoked() }, change)) === null) return false;
  await enterLog(entry);
  const offspring = await BotTokens.acrossGuilds.find({ createdBy: _id, ...notRevoked() }).lean<BotToken[]>();
  for (const made of offspring) await revokeToken(made, actor);
  return true;
}

/** Revokes a person's tokens of a guild that are above their remaining role; null means no role. */
export async function revokeTokensAbove(
  guildId: string,
  chatUserId: string,
  role: TeamRole | null,
  actor: Actor,
): Promise<void> {
  for (const token of await BotTokens.find({ guildId, createdBy: chatUserId, ...notRevoked() })) {
    if (!holds(role, token.role)) await revokeToken(token, actor);
  }
}

/**
 * Revokes a token whose maker no longer holds its role, for whatever reason: on Discord, permissions and owners change
 * without any action here (SPEC §2: no token above its maker's role). While Discord doesn't answer, nothing is
 * concluded. Returns whether the token was revoked.
 */
export async function revokeIfMakerLostRole(token: BotToken): Promise<boolean> {
  const guild = snowflake.safeParse(token.createdBy).success ? await findPresentGuild(token.guildId) : null;
  if (guild === null) return false;
  try {
    if (holds(await roleOfPerson(token.createdBy, guild), token.role)) return false;
  } catch (error) {
    if (error instanceof ChatPlatformUnavailable) return false;
    throw error;
  }
  return revokeToken(token, systemActor('token-maker-check'));
}
