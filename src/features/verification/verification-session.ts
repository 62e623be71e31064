import type { ProofMethod } from '../../core/settings/guild-settings.js';
import { clock } from '../../lib/clock.js';
import type { GameIdentity } from '../members/member-model.js';
import type { FailureReason } from './failure-words.js';
import { readAuthorizeUrl } from './oauth-proof.js';
import type { StoredVerification } from './verification-model.js';
import { maxAttempts, proofInProgress } from './verification-store.js';

/** A verification session as its person may see it (VER-9). */
export interface VerificationSession {
  guildId: string | null;
  chatUserId: string;
  chatUsername: string;
  method: ProofMethod;
  state: StoredVerification['state'] | 'expired';
  /** Why it failed or expired. */
  reason: FailureReason | null;
  /** profile_code, while pending: the phrase for the About text. */
  phrase: string | null;
  /** oauth, while pending: the address to open in the browser. */
  authorizeUrl: string | null;
  /** discord_connection, while pending: the accounts to choose from, when there are several. */
  connected: readonly { gameUserId: string; name: string }[];
  /** As the person typed it. */
  gameUsername: string | null;
  /** Once it is proved: the account. */
  game: GameIdentity | null;
  /** The account is proved, and the person has to choose its use. Nobody else is told. */
  isChoosing: boolean;
  attempts: number;
  attemptsLeft: number;
  proofInProgress: boolean;
  createdAt: Date;
  expiresAt: Date;
}

/** The states in which the account is proved. An account that was only redeemed is shown nowhere. */
const provenStates: ReadonlySet<VerificationSession['state']> = new Set([
  'completed',
  'awaiting_confirmation',
  'awaiting_transfer',
]);

/**
 * Opens a stored session with its token, and decides by the time whether it has expired. A session with a sign-in that
 * no key opens counts as expired, so its person starts again.
 */
export async function openSession(stored: StoredVerification, token: string): Promise<VerificationSession> {
  const { guildId, chatUserId, chatUsername, method, gameUsername, attempts, createdAt, expiresAt } = stored;
  const now = clock.now();
  const checking = proofInProgress(stored, now);
  const ends = stored.state === 'pending' || stored.state === 'awaiting_confirmation';
  const signIn = stored.state === 'pending' && (expiresAt > now || checking) ? stored.oauth : null;
  const authorizeUrl = signIn && (await readAuthorizeUrl(signIn, token));
  const isLost = signIn !== null && authorizeUrl === null;
  const expired = ends && (expiresAt <= now || isLost) && !checking;
  const state = expired ? 'expired' : stored.state;
  const isChoosing = stored.choosing === true && !expired;
  return {
    guildId,
    chatUserId,
    chatUsername,
    method,
    state,
    gameUsername,
    attempts,
    createdAt,
    expiresAt,
    reason: expired ? 'expired' : stored.reason,
    phrase: state === 'pending' ? stored.phrase : null,
    authorizeUrl,
    connected: state === 'pending' ? (stored.connected ?? []) : [],
    game: isChoosing || provenStates.has(state) ? stored.game : null,
    isChoosing,
    attemptsLeft: Math.max(0, maxAttempts - attempts),
    proofInProgress: checking,
  };
}
