import { trusted } from 'mongoose';
import type { ErasedPerson } from '../../core/actors/actor.js';
import { type BotToken, BotTokens, notRevoked } from './token-model.js';
import { revokeToken } from './token-revocation.js';

export function tokensMadeBy(chatUserId: string): AsyncIterable<BotToken> {
  return BotTokens.acrossGuilds.find({ createdBy: chatUserId }).sort({ _id: 1 }).lean<BotToken>().cursor();
}

/** Revokes an erased person's bot tokens, since no one is responsible for them any more (PRIV-3). */
export async function eraseTokenMaker({ chatUserId, actor, pseudonym, requestedAt }: ErasedPerson): Promise<void> {
  const made = await BotTokens.acrossGuilds.find({ createdBy: chatUserId, ...notRevoked() }).lean<BotToken[]>();
  for (const token of made) if (token.createdAt <= requestedAt) await revokeToken(token, actor);
  const revoked = { createdBy: chatUserId, revokedAt: trusted({ $exists: true }) };
  await BotTokens.acrossGuilds.updateMany(revoked, { $set: { createdBy: pseudonym } });
}
