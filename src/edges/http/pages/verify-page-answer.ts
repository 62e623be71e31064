import { type Actor, chatUser } from '../../../core/actors/actor.js';
import type { SignedIn } from '../../../core/auth/sign-in.js';
import { findPresentGuild } from '../../../core/guilds/guild-service.js';
import { readSettings } from '../../../core/settings/settings-service.js';
import { choicesOf } from '../../../features/accounts/account-choices.js';
import { takeConnections } from '../../../features/verification/connection-proof.js';
import { failureText } from '../../../features/verification/failure-words.js';
import { waysOf } from '../../../features/verification/verification-rules.js';
import { readVerification } from '../../../features/verification/verification-service.js';
import { connectingToken } from '../../../features/verification/verification-view.js';
import { AppError, GamePlatformClosed, GamePlatformUnavailable } from '../../../lib/errors.js';
import { refusalWords } from '../../../lib/translate-refusal.js';
import { readHeadshot } from '../../../platforms/roblox/game-headshots.js';
import { type Answer, html, seeOther } from '../answer.js';
import { retryAfterSeconds } from '../problem.js';
import { renderVerifyPage } from './verify-page.js';

/** The errors that the page shows itself after a reload; all others are an error page. */
const shownOnPage = [
  'verification_failed',
  'session_expired',
  'already_completed',
  'awaiting_confirmation',
  'awaiting_transfer',
  'nothing_to_answer',
  'proof_in_progress',
  'retry_needed',
  'accounts_full',
  'account_restricted',
  'main_account_required',
];

/** A session's current page, with a form's error if any. Throws NotFound `session_not_found`. */
export async function answerVerifyPage(
  token: string,
  actor: Actor,
  complaint?: { words: string; status: number },
): Promise<Answer> {
  const session = await readVerification(token, actor);
  const { guildId } = session;
  const asked = session.state === 'awaiting_confirmation' ? session.game : null;
  const chosen = session.isChoosing ? session.game : null;
  const [guild, methods, observes, imageUrl, choices] = await Promise.all([
    guildId === null ? null : findPresentGuild(guildId),
    waysOf(guildId),
    guildId === null ? false : readSettings(guildId).then(({ mode }) => mode === 'observe'),
    asked === null ? null : readHeadshot(asked.gameUserId),
    chosen === null ? [] : choicesOf(session, chosen.gameUserId),
  ]);
  const guildName = guild?.name ?? null;
  const view = {
    session,
    token,
    chatUsername: actor.name,
    guildName,
    methods,
    observes,
    imageUrl,
    choices,
    complaint: complaint?.words,
  };
  return {
    ...html(renderVerifyPage(view), complaint?.status ?? 200),
    // The address contains the token, and the page the words. Without a policy that sends our own origin, browsers send
    // `Origin: null` with the page's forms (Fetch standard), which sign-in refuses.
    headers: {
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      ...(complaint?.status === 503 && { 'retry-after': String(retryAfterSeconds) }),
    },
  };
}

/**
 * Runs a person's action and redirects them to the page, which shows the result. If Roblox did not answer, the
 * unchanged session is shown immediately, as a 503.
 */
export async function thenVerifyPage(token: string, actor: Actor, step: () => Promise<unknown>): Promise<Answer> {
  try {
    await step();
  } catch (error) {
    if (error instanceof GamePlatformUnavailable) {
      const words =
        error instanceof GamePlatformClosed ? refusalWords(error) : failureText('game_platform_unavailable');
      return answerVerifyPage(token, actor, { words, status: 503 });
    }
    if (!(error instanceof AppError && shownOnPage.includes(error.code))) throw error;
  }
  return seeOther(`/verify/${token}`);
}

/**
 * Proves an account when its person returns from Discord with their connections, for the session that sent them there,
 * and redirects to its page. Null for every other sign-in. Throws NotFound `session_not_found` for another person's
 * session.
 */
export async function afterConnecting({ profile, connected, returnTo }: SignedIn): Promise<Answer | null> {
  const token = connectingToken(returnTo);
  if (connected === null || token === null) return null;
  const person = chatUser(profile.chatUserId, profile.username);
  return thenVerifyPage(token, person, () => takeConnections(token, connected, person));
}
