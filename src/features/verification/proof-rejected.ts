import { GameOAuthInvalid } from '../../platforms/roblox/game-oauth.js';
import type { GameUser } from '../../platforms/roblox/game-users.js';
import { isOldEnough } from '../accounts/account-age.js';
import type { RejectionReason } from './failure-words.js';
import type { ProvenGame } from './verification-model.js';

/** A proof was checked and does not hold. It never leaves this folder: outside, `VerificationFailed` reports it. */
export class ProofRejected extends Error {
  constructor(
    readonly reason: RejectionReason,
    options?: ErrorOptions,
  ) {
    super(`the proof was rejected: ${reason}`, options);
  }
}

/** The reason if `error` is about the proof; null for all others, such as a Roblox outage. */
export function rejectionReason(error: unknown): RejectionReason | null {
  if (error instanceof ProofRejected) return error.reason;
  return error instanceof GameOAuthInvalid ? 'oauth_invalid' : null;
}

/** Every method requires a Roblox account that exists, is not banned, and is at least `minimumAgeDays` old. */
export function acceptAccount(user: GameUser | null, minimumAgeDays: number): GameUser {
  if (user === null || user.banned) throw new ProofRejected('game_account_not_found');
  acceptAge({ gameCreatedAt: user.createdAt }, minimumAgeDays);
  return user;
}

/** The account must be old enough, in days. */
export function acceptAge({ gameCreatedAt }: Pick<ProvenGame, 'gameCreatedAt'>, minimumAgeDays: number): void {
  if (!isOldEnough(gameCreatedAt, minimumAgeDays)) throw new ProofRejected('account_too_new');
}
