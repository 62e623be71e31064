import { config } from '../../config/config.js';
import { sessionLifeMs } from './session-service.js';

const secure = (): boolean => config().publicUrl.startsWith('https:');

/** `__Host-` binds a cookie to this host and to HTTPS; browsers reject it over HTTP (RFC 6265bis). */
export const secureName = (name: string): string => (secure() ? `__Host-${name}` : name);

const sessionCookieName = (): string => secureName('rolelink_session');

/** Serialises a cookie as AUTH-8 requires: HttpOnly, SameSite=Lax, Secure over HTTPS, for the whole host. */
export function serializeCookie(name: string, value: string, maxAgeSeconds: number): string {
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure() ? '; Secure' : ''}`;
}

/** The `Set-Cookie` value that renews a session; an empty id ends it. */
export function sessionCookie(id: string): string {
  return serializeCookie(sessionCookieName(), id, id === '' ? 0 : sessionLifeMs / 1000);
}

export function readSessionCookie(cookie: (name: string) => string | undefined): string | undefined {
  return cookie(sessionCookieName()) || undefined;
}
