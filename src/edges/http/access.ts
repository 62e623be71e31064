import type { TeamRole } from '../../core/actors/team-roles.js';

/** Who may call an endpoint. Every route says so; `open` must be written out, so that nothing is open by oversight. */
export type Access =
  | { kind: 'open' }
  | { kind: 'signed_in' }
  | { kind: 'person' }
  | { kind: 'guild_role'; least: TeamRole; whileSuspended: boolean }
  | { kind: 'verifier' }
  | { kind: 'platform_admin' }
  | { kind: 'signed_by_provider'; header: string };

/** Callers who hold at least a role in the guild of the path. */
export type GuildRole = Extract<Access, { kind: 'guild_role' }>;

/** Anybody, without credentials. */
export const open = { kind: 'open' } as const satisfies Access;
/** Anybody with valid credentials: a person or a bot token. */
export const signedIn = { kind: 'signed_in' } as const satisfies Access;
/** A person with a session; bot tokens are refused. */
export const person = { kind: 'person' } as const satisfies Access;
/** A `verifier` of the guild of the path, and nobody else: neither people nor other bot tokens. */
export const verifierToken = { kind: 'verifier' } as const satisfies Access;
export type Verifier = typeof verifierToken;
/** Platform admins; the endpoint does not exist for others (404). */
export const platformAdmin = { kind: 'platform_admin' } as const satisfies Access;
/**
 * A provider that proves itself by a signature over the raw body, in this header, which the handler checks. Without the
 * header the body is not even read.
 */
export const signedByProvider = (header: string) => ({ kind: 'signed_by_provider', header }) as const satisfies Access;

/**
 * Callers who hold at least `least` in the guild of the path. A suspended guild is refused (API-75) unless
 * `whileSuspended`.
 */
export const guildRole = (least: TeamRole, options: { whileSuspended?: boolean } = {}): GuildRole => ({
  kind: 'guild_role',
  least,
  whileSuspended: options.whileSuspended ?? false,
});
