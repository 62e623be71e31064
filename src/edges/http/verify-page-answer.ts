import type { Actor } from '../../core/actors/actor.js';
import { findPresentGuild } from '../../core/guilds/guild-service.js';
import { availableMethods, rulesOf } from '../../features/verification/verification-rules.js';
import { readVerification } from '../../features/verification/verification-service.js';
import { AppError } from '../../lib/errors.js';
import { type Answer, html, seeOther } from './answer.js';
import { renderVerifyPage } from './verify-page.js';

/** What the page shows of itself after it was loaded again; everything else is an error page. */
const shownOnPage = [
  'verification_failed',
  'session_expired',
  'already_completed',
  'proof_in_progress',
  'retry_needed',
];

/** The page of a session as it is now, with what was wrong with a form. Throws NotFound `session_not_found`. */
export async function answerVerifyPage(token: string, actor: Actor, complaint?: string): Promise<Answer> {
  const session = await readVerification(token, actor);
  const { guildId } = session;
  const [guild, rules] = await Promise.all([guildId === null ? null : findPresentGuild(guildId), rulesOf(guildId)]);
  const methods = availableMethods(rules);
  const guildName = guild?.name ?? null;
  const body = renderVerifyPage({ session, token, chatUsername: actor.name, guildName, methods, complaint });
  return {
    ...html(body, complaint === undefined ? 200 : 400),
    // The address holds the token, and the page the words; and without a policy that names our own origin to
    // ourselves, browsers send `Origin: null` with the page's forms (Fetch standard), which sign-in refuses.
    headers: { 'cache-control': 'no-store', 'referrer-policy': 'same-origin' },
  };
}

/** Does what a person asked for and sends them (back) to the page, which tells what came of it. */
export async function thenVerifyPage(token: string, step: () => Promise<unknown>): Promise<Answer> {
  await step().catch((error: unknown) => {
    if (!(error instanceof AppError && shownOnPage.includes(error.code))) throw error;
  });
  return seeOther(`/verify/${token}`);
}
