import type { TeamRole } from '../../core/actors/team-roles.js';

/**
 * The callers allowed on an endpoint. Every route declares it; `open` must be explicit, so no endpoint is open by
 * oversight.
 */
export type Access =
  | { kind: 'open' }
  | { kind: 'signed_in' }
  | { kind: 'person' }
  | { kind: 'guild_role'; least: TeamRole; whileSuspended: boolean; byRanker: boolean; byGame: boolean }
  | { kind: 'game' }
  | { kind: 'platform_admin' }
  | { kind: 'signed_by_provider'; header: string };

export type GuildRole = Extract<Access, { kind: 'guild_role' }>;

/** Every caller, without credentials. */
export const open = { kind: 'open' } as const satisfies Access;
/** Every caller with valid credentials: a person or a bot token. */
export const signedIn = { kind: 'signed_in' } as const satisfies Access;
/** A person with a session; bot tokens are refused. */
export const person = { kind: 'person' } as const satisfies Access;
export type GameAccess = Extract<Access, { kind: 'game' }>;

/** A `game` or `verifier` token of the path's guild only (AUTH-23, AUTH-65): neither people nor other bot tokens. */
export const gameCodeToken = { kind: 'game' } as const satisfies Access;
/** Platform admins; for others the endpoint does not exist (404). */
export const platformAdmin = { kind: 'platform_admin' } as const satisfies Access;
/**
 * A provider with a signature over the raw body in this header; the handler verifies it. Without the header, the body
 * is not read at all.
 */
export const signedByProvider = (header: string) => ({ kind: 'signed_by_provider', header }) as const satisfies Access;

/**
 * Callers with at least the role `least` in the path's guild. A suspended guild is refused (API-75) unless
 * `whileSuspended`. `byRanker`, `byGame`: a `ranker` token (RANKING-21) or a `game` token (AUTH-65) of that guild too.
 */
export const guildRole = (
  least: TeamRole,
  { whileSuspended = false, byRanker = false, byGame = false }: Partial<Omit<GuildRole, 'kind' | 'least'>> = {},
): GuildRole => ({ kind: 'guild_role', least, whileSuspended, byRanker, byGame });
