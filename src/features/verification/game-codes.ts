import { randomInt } from 'node:crypto';
import { z } from 'zod';
import type { Actor } from '../../core/actors/actor.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { NotFound } from '../../lib/errors.js';
import { SealBroken, type SealFor, seal, unseal } from '../../lib/sealed-secrets.js';
import { minuteMs } from '../../lib/time.js';
import { readGameUser } from '../../platforms/roblox/game-users.js';
import { acceptAccount } from './proof-rejected.js';
import { runProof } from './proof-run.js';
import type { StoredVerification } from './verification-model.js';
import { requireMethod, rulesOf } from './verification-rules.js';
import { findByGameCode } from './verification-store.js';

// A code that a person types in a server's Roblox game (VER-25). The game hands it in, and only the server vouches for
// the game. So it is a claim, and counts in that server alone.

/** Without vowels, so that a code is no word, and with only the letter from each similar pair of letter and digit. */
const alphabet = 'BCDFGHJKMNPQRSTVWXYZ3479';
const codeLength = 6;
/** A code holds ten minutes (VER-24). */
export const gameCodeLifeMs = 10 * minuteMs;

/** A new code: one in 191 million. */
export const newGameCode = (): string =>
  Array.from({ length: codeLength }, () => alphabet.charAt(randomInt(alphabet.length))).join('');

/** A code as it was typed: in small letters, or with spaces and hyphens. */
const tidyCode = (typed: string): string => typed.replace(/[\s-]/g, '').toUpperCase();

/**
 * Seals for the session's own id, which is never shown. The game sends the code, and the token identifies the person.
 */
const readableWith = (sessionId: string): SealFor => ({ purpose: 'verification', salt: sessionId });
const sealedToken = z.object({ token: z.string() });

/** A session's token, to be read again when its code is handed in. */
export const sealToken = (token: string, sessionId: string): Promise<string> =>
  seal({ token }, readableWith(sessionId));

/** The answer to a game: the time until which the person may confirm. */
export type HeldCode = Pick<StoredVerification, 'expiresAt'>;

/**
 * Redeems a code that a person typed in a game as the Roblox account `gameUserId`, and asks them to confirm the
 * account. The same code and account may be handed in again. Throws NotFound `game_code_not_valid` for every code that
 * does not wait in this guild, VerificationFailed, GamePlatformUnavailable, and `requireMethod`'s refusals.
 */
export async function redeemGameCode(guild: Guild, actor: Actor, typed: string, gameUserId: string): Promise<HeldCode> {
  const rules = await rulesOf(guild._id);
  requireMethod(rules, 'game_code');
  const stored = await findByGameCode(guild._id, tidyCode(typed), clock.now());
  if (stored === null) throw notValid();
  if (stored.state === 'awaiting_confirmation') {
    if (stored.game?.gameUserId !== gameUserId) throw notValid();
    return stored;
  }
  const { token } = await unseal(sealedToken, stored.sealedToken ?? '', readableWith(stored._id)).catch(
    (error: unknown) => {
      throw error instanceof SealBroken ? notValid() : error;
    },
  );
  const { session } = await runProof({ token, actor, stored, guild }, null, async () =>
    acceptAccount(await readGameUser(gameUserId, { fresh: true }), rules.minimumAccountAgeDays),
  );
  return session;
}

const notValid = (): NotFound =>
  new NotFound(
    'game_code_not_valid',
    "This code isn't valid: it was mistyped, has expired, was already used, or belongs to another server.",
  );
