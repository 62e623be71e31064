import { z } from 'zod';
import { config } from '../../config/config.js';
import { clock } from '../../lib/clock.js';
import { onFirstUse } from '../../lib/on-first-use.js';
import { secureName, serializeCookie } from './session-cookie.js';

const jose = onFirstUse(() => import('jose'));

/** Additional scopes that a person can be asked for. */
const extraScope = z.enum(['connections', 'role_connections.write']);
export type ExtraScope = z.output<typeof extraScope>;

const signInUnderWay = z.strictObject({
  state: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  extra: extraScope.nullable(),
  scopes: z.array(z.string()),
  /** When it began, in milliseconds since 1970. */
  at: z.int(),
  /** It has ended in a session: a repeated callback goes on without Discord. */
  done: z.literal(true).exactOptional(),
});
export type SignInUnderWay = z.output<typeof signInUnderWay>;

const cookiePayload = z.object({ signIns: z.array(signInUnderWay) });

/** Several tabs may sign in at the same time. More would make the cookie too large for browsers. */
const mostAtOnce = 3;
const lifeSeconds = 600;

/** The cookie that ties Discord's answers to the browser that began these sign-ins. */
export const signInCookieName = (): string => secureName('rolelink_sign_in');

/** The sign-ins in a cookie that began less than ten minutes ago, newest first; none for a forged or absent cookie. */
export async function signInsOf(cookie: string | undefined): Promise<SignInUnderWay[]> {
  if (cookie === undefined) return [];
  const { jwtDecrypt } = await jose();
  try {
    const { payload } = await jwtDecrypt(cookie, config().secretsKey);
    const since = clock.epochMs() - lifeSeconds * 1000;
    return cookiePayload.parse(payload).signIns.filter(({ at }) => at > since);
  } catch {
    return [];
  }
}

/** The `Set-Cookie` value that keeps these sign-ins, newest first, of which the first three fit (AUTH-12). */
export async function signInCookie(signIns: readonly SignInUnderWay[]): Promise<string> {
  const { EncryptJWT } = await jose();
  const value = await new EncryptJWT({ signIns: signIns.slice(0, mostAtOnce) })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(config().secretsKey);
  return serializeCookie(signInCookieName(), value, lifeSeconds);
}
