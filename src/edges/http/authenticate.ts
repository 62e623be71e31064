import type { Context } from 'koa';
import { config } from '../../config/config.js';
import { type Actor, anonymous } from '../../core/actors/actor.js';
import { readSessionCookie, sessionCookie } from '../../core/auth/session-cookie.js';
import { findSession } from '../../core/auth/session-service.js';
import { callerOfBotToken, type TokenCaller } from '../../features/tokens/bot-tokens.js';
import { Forbidden, Unauthenticated } from '../../lib/errors.js';

/** A request's authenticated caller, with the guild already read for it: the token's own. */
export type Caller = TokenCaller;

export const nobody: Caller = { actor: anonymous, guild: null };

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Authenticates a request: by bot token (`Authorization: Bot <JWT>`), else by session cookie, else as anonymous
 * (AUTH-1). Throws Unauthenticated for invalid credentials. Throws Forbidden `origin_mismatch` for a state-changing
 * request with a cookie from an origin other than PUBLIC_URL.
 */
export async function authenticate(ctx: Context): Promise<Caller> {
  const authorization = ctx.get('authorization');
  if (authorization !== '') return callerOfBotToken(botTokenOf(authorization));
  const cookie = readSessionCookie((name) => ctx.cookies.get(name));
  const found = cookie === undefined ? null : await findSession(cookie);
  if (cookie === undefined || found === null) return nobody;
  if (!safeMethods.has(ctx.method) && ctx.get('origin') !== config().publicUrl) {
    throw new Forbidden('origin_mismatch', `The Origin header must be ${config().publicUrl}.`);
  }
  if (found.renewed) ctx.append('set-cookie', sessionCookie(cookie));
  const { session } = found;
  const actor: Actor = {
    kind: 'user',
    id: session.chatUserId,
    name: session.username,
    role: null,
    platformAdmin: config().platformAdmins.has(session.chatUserId),
    sessionId: session._id,
    avatarUrl: session.avatarUrl,
  };
  return { actor, guild: null };
}

/** The scheme is case-insensitive (RFC 9110 §11.1). The rest is checked as a token. */
function botTokenOf(authorization: string): string {
  const [, token] = /^Bot +(\S+)$/i.exec(authorization) ?? [];
  if (token === undefined) throw new Unauthenticated('The Authorization header must be "Bot <token>".');
  return token;
}
