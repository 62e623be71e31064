import type { Actor } from '../../core/actors/actor.js';
import { holds, type TeamRole } from '../../core/actors/team-roles.js';
import { enterLog, newEntry } from '../../core/audit/audit-service.js';
import { clock } from '../../lib/clock.js';
import { push } from '../../platforms/events/outbox.js';
import { type BotToken, BotTokens, notRevoked, teamRoleOf } from './token-model.js';

/**
 * Revokes a token. Tokens made with it go first (older versions let tokens make tokens), so that an interrupted call
 * can be repeated. Returns false if it was already revoked. Each revocation is logged.
 */
export async function revokeToken({ _id, guildId, name, role }: BotToken, actor: Actor): Promise<boolean> {
  const offspring = await BotTokens.acrossGuilds.find({ createdBy: _id, ...notRevoked() }).lean<BotToken[]>();
  for (const made of offspring) await revokeToken(made, actor);
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
  return true;
}

/** Revokes a person's tokens in a guild that are above their remaining role; null means no role. */
export async function revokeTokensAbove(
  guildId: string,
  chatUserId: string,
  role: TeamRole | null,
  actor: Actor,
): Promise<void> {
  for (const token of await BotTokens.find({ guildId, createdBy: chatUserId, ...notRevoked() })) {
    if (!holds(role, teamRoleOf(token.role))) await revokeToken(token, actor);
  }
}
