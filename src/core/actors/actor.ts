import { z } from 'zod';
import type { TeamRole } from './team-roles.js';
import type { TokenRanking } from './token-ranking.js';

/**
 * `system`: Rolelink itself, in a job or gateway event. `provider`: the billing provider, with events that change
 * plans. `anonymous`: only on public endpoints.
 */
const actorKind = z.enum(['user', 'bot_token', 'provider', 'system', 'anonymous']);

export const storedActor = z.strictObject({ kind: actorKind, id: z.string(), name: z.string() });

/** An action's originator. Permissions depend on it, and log entries name it (LOG-7). */
export interface Actor {
  kind: z.output<typeof actorKind>;
  /** A chatUserId, a tokenId, or the system part's name. */
  id: string;
  name: string;
  /** The actor's role in the action's guild; null outside guilds. */
  role: TeamRole | null;
  platformAdmin: boolean;
  /** For a bot token: its guild, or `*` for a platform token. */
  tokenGuildId?: string;
  /** For a Roblox game's bot token, without a say in the guild: its role. */
  gameRole?: 'game' | 'verifier';
  /** For a bot token that can only rank people in Roblox groups: its limits, and its maker's role in the guild. */
  ranksOnly?: TokenRanking & { makerRole: TeamRole };
  /** For a bot token made by a person: their chatUserId. Tokens from the command line have no person. */
  makerId?: string;
  /** For a person on the web: the session's hashed id, and the picture shown in the dashboard. */
  sessionId?: string;
  avatarUrl?: string | null;
}

export const anonymous: Actor = { kind: 'anonymous', id: 'anonymous', name: '', role: null, platformAdmin: false };

/** The acting person's chatUserId, or that of the acting bot token's maker. Null for no person (AUTH-43). */
export function personBehind({ kind, id, makerId }: Actor): string | null {
  return kind === 'user' ? id : (makerId ?? null);
}

/** Whether the actor is a guild's bot token, which can only make claims about people's accounts (VER-11). */
export const isOfGuildToken = ({ kind, tokenGuildId }: Actor): boolean => kind === 'bot_token' && tokenGuildId !== '*';

/** An actor for Rolelink itself; `name` is the acting part: `member-join`, `retry-syncs` … */
export function systemActor(name: string): Actor {
  return { kind: 'system', id: name, name, role: 'owner', platformAdmin: false };
}

/** A person erased on request. `actor` is their former identity; `pseudonym` replaces it. */
export interface ErasedPerson {
  chatUserId: string;
  actor: Actor;
  pseudonym: string;
  /** The person's actions after this time belong to a new start and are kept. */
  requestedAt: Date;
}

/** A Roblox account of a person; one by a guild's word is theirs in that guild alone. */
export interface HeldAccount {
  gameUserId: string;
  guildId?: string;
}

export function chatUser(chatUserId: string, name: string, role: TeamRole | null = null): Actor {
  return { kind: 'user', id: chatUserId, name, role, platformAdmin: false };
}
