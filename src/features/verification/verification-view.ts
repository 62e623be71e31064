import { z } from 'zod';
import { config } from '../../config/config.js';
import { proofMethod } from '../../core/settings/guild-settings.js';
import { timestamp } from '../../lib/fields.js';
import { shownFields } from '../../lib/shown-fields.js';
import { failureReason } from './failure-words.js';
import { verificationFields } from './verification-model.js';
import type { VerificationSession } from './verification-session.js';

/** A session in the export for its person. */
export const ownVerifications = shownFields(
  verificationFields.omit({
    _id: true,
    chatUserId: true,
    phrase: true,
    sealedToken: true,
    oauth: true,
    game: true,
    proof: true,
    transfer: true,
  }),
);

/** A verification session in the API's words (VER-9). */
export const verificationView = z
  .strictObject({
    token: z.string(),
    guildId: z.string().nullable(),
    chatUserId: z.string(),
    method: proofMethod,
    state: z
      .enum(['pending', 'awaiting_confirmation', 'awaiting_transfer', 'completed', 'failed', 'expired'])
      .describe(
        'awaiting_confirmation: proved by a server, and the person has to confirm it. awaiting_transfer: proved by words, and moves at `expiresAt` unless the owner objects',
      ),
    phrase: z
      .string()
      .nullable()
      .describe('While pending. profile_code: the words for the About text; game_code: the code to type in the game'),
    authorizeUrl: z
      .string()
      .nullable()
      .describe('oauth and discord_connection, while pending: where to send the browser'),
    url: z.string().describe('The page on which the person can verify'),
    gameUsername: z.string().nullable(),
    reason: failureReason.nullable(),
    attempts: z.int(),
    attemptsLeft: z.int(),
    createdAt: timestamp,
    expiresAt: timestamp,
  })
  .meta({ id: 'VerificationSession' });

/**
 * A code from a game that was taken: its person is asked on Discord until `expiresAt`, and the game learns no more
 * about them.
 */
export const heldCodeView = z
  .strictObject({ state: z.literal('awaiting_confirmation'), expiresAt: timestamp })
  .meta({ id: 'HeldGameCode' });

export function viewVerification(session: VerificationSession, token: string): z.input<typeof verificationView> {
  const { guildId, chatUserId, method, state, phrase, authorizeUrl, gameUsername, reason, attempts, attemptsLeft } =
    session;
  return {
    token,
    guildId,
    chatUserId,
    method,
    state,
    phrase,
    authorizeUrl: state === 'pending' && method === 'discord_connection' ? connectUrl(token) : authorizeUrl,
    url: verifyUrl(token),
    gameUsername,
    reason,
    attempts,
    attemptsLeft,
    createdAt: session.createdAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
  };
}

/** Where the browser begins to use the Roblox account that Discord knows the person by (VER-19). */
export function connectUrl(token: string): string {
  return `${verifyUrl(token)}/discord`;
}

/** The token for the session with `path`, where a sign-in was begun, as its `connectUrl`; else null. */
export function connectingToken(path: string | undefined): string | null {
  return /^\/verify\/([\w-]+)\/discord$/.exec(path ?? '')?.[1] ?? null;
}

/** The page where a person verifies (VER-12). */
export function verifyUrl(token: string): string {
  return `${config().publicUrl}/verify/${token}`;
}
