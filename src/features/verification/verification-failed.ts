import type { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { AppError, Conflict } from '../../lib/errors.js';
import { type FailureReason, failureWords } from './failure-words.js';
import type { StoredVerification } from './verification-model.js';
import { openSession } from './verification-session.js';
import { maxAttempts, proofInProgress } from './verification-store.js';
import { type verificationView, viewVerification } from './verification-view.js';

/** A proof did not hold, or no proofs are left (VER-3). `details` has the reason and the session as it is now. */
export class VerificationFailed extends AppError {
  readonly attemptsLeft: number;

  constructor(
    readonly reason: FailureReason,
    session: z.input<typeof verificationView>,
  ) {
    super('verification_failed', failureWords[reason], { reason, session });
    this.attemptsLeft = session.attemptsLeft;
  }
}

export async function verificationFailed(
  reason: FailureReason,
  stored: StoredVerification,
  token: string,
): Promise<VerificationFailed> {
  return new VerificationFailed(reason, viewVerification(await openSession(stored, token), token));
}

/** Another request is checking this session's proof; its result shows in a moment. */
export const proofGoingOn = (): Conflict =>
  new Conflict('proof_in_progress', 'Your proof is being checked. Check again in a moment.');

/**
 * Refuses a session that can take neither a proof nor a retry: Conflict `already_completed` or `proof_in_progress`,
 * VerificationFailed `too_many_attempts`.
 */
export async function refuseIfOver(stored: StoredVerification, token: string): Promise<void> {
  if (stored.state === 'completed') throw new Conflict('already_completed', 'This verification is already complete.');
  if (proofInProgress(stored, clock.now())) throw proofGoingOn();
  if (stored.attempts >= maxAttempts) throw await verificationFailed('too_many_attempts', stored, token);
}

/**
 * Refuses to interrupt a session that waits for an answer: Conflict `awaiting_confirmation` and `awaiting_transfer`.
 */
export function refuseIfHeld({ state, expiresAt }: StoredVerification): void {
  if (state === 'awaiting_confirmation' && expiresAt > clock.now()) {
    throw new Conflict('awaiting_confirmation', "The person hasn't confirmed yet that this Roblox account is theirs.");
  }
  if (state === 'awaiting_transfer') {
    throw new Conflict(
      'awaiting_transfer',
      'The account moves in a day unless its owner objects. Signing in to Roblox moves it immediately.',
    );
  }
}

/**
 * Refuses a proof unless the session waits for one. Throws as `refuseIfOver`, Conflict `awaiting_confirmation`,
 * `awaiting_transfer` and, after a failure, `retry_needed`, and `session_expired` (410).
 */
export async function refuseUnlessPending(stored: StoredVerification, token: string): Promise<void> {
  await refuseIfOver(stored, token);
  refuseIfHeld(stored);
  if (stored.state === 'failed') {
    throw new Conflict('retry_needed', 'The last try failed. Retry first to get new words or a new sign-in.');
  }
  if (stored.expiresAt <= clock.now()) {
    throw new AppError('session_expired', failureWords.expired, { reason: 'expired' });
  }
}
