import { clock } from '../../lib/clock.js';
import { GamePlatformUnavailable } from '../../lib/errors.js';
import { dayMs } from '../../lib/time.js';
import { GameOAuthInvalid } from '../../platforms/roblox/game-oauth.js';
import type { GameUser } from '../../platforms/roblox/game-users.js';
import type { RejectionReason } from './failure-words.js';

/** A proof was checked and does not hold. It never leaves this folder: outside, `VerificationFailed` reports it. */
export class ProofRejected extends Error {
  constructor(
    readonly reason: RejectionReason,
    options?: ErrorOptions,
  ) {
    super(`the proof was rejected: ${reason}`, options);
  }
}

/** Why a proof failed, if `error` is about the proof; null for all other errors. */
export function rejectionReason(error: unknown): RejectionReason | null {
  if (error instanceof ProofRejected) return error.reason;
  if (error instanceof GameOAuthInvalid) return 'oauth_invalid';
  return error instanceof GamePlatformUnavailable ? 'game_platform_unavailable' : null;
}

/** The account itself must be fit for linking, whatever the method: there, not banned, and old enough in days. */
export function acceptAccount(user: GameUser | null, minimumAgeDays: number): GameUser {
  if (user === null || user.banned) throw new ProofRejected('game_account_not_found');
  if (clock.epochMs() - user.createdAt.getTime() < minimumAgeDays * dayMs) throw new ProofRejected('account_too_new');
  return user;
}
