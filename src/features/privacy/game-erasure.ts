import { config } from '../../config/config.js';
import { anonymiseAccounts } from '../../core/audit/audit-anonymity.js';
import { NotFound } from '../../lib/errors.js';
import { logger } from '../../lib/logger.js';
import { readGameErasure } from '../../platforms/roblox/roblox-webhook.js';
import { findAccountOfGame, findProofs } from '../accounts/account-service.js';
import { eraseRankChangesOf } from '../ranking/rank-changes-of-person.js';
import { relayNow } from '../webhooks/relay-job.js';
import { eraseGame, erasePerson } from './erasure.js';

/**
 * Handles Roblox's webhook about erasure requests: the person linked to that account is erased as by `DELETE
 * /api/auth/me`, or that account alone if they have proved others (PRIV-13). A link made after the request stays, so
 * that a repeated call erases no one twice. Data naming an account without a person goes before the answer:
 * Roblox repeats a call without one. Throws NotFound without ROBLOX_WEBHOOK_SECRET, and AppError
 * `signature_invalid`.
 */
export async function receiveGameErasure(rawBody: Buffer, signature: string): Promise<void> {
  const { webhookSecret } = config().roblox;
  if (webhookSecret === undefined) {
    throw new NotFound('not_found', 'Requests for erasure are not set up here (ROBLOX_WEBHOOK_SECRET).');
  }
  const erasure = readGameErasure(rawBody, signature, webhookSecret);
  if (erasure === null) return;
  const account = await findAccountOfGame(erasure.gameUserId);
  logger.info({ known: account !== null }, 'Roblox requested an erasure');
  if (account === null) return eraseUnlinked(erasure.gameUserId);
  if (account.linkedAt > erasure.askedAt) return;
  const isOnly = (await findProofs(account._id)).length === 1;
  await (isOnly ? erasePerson(account._id, account.gameUsername) : eraseGame(account._id, account));
}

/** Changes of ranks and log entries, which can be about an account without a member. */
async function eraseUnlinked(gameUserId: string): Promise<void> {
  await relayNow(new AbortController().signal);
  await eraseRankChangesOf([{ gameUserId }]);
  await anonymiseAccounts([{ gameUserId }]);
}
