import { z } from 'zod';
import type { TeamRole } from './team-roles.js';

/**
 * `system` is Rolelink itself: a job or a gateway event; `provider` the billing provider, whose events change plans.
 * `anonymous` only ever reaches open endpoints.
 */
const actorKind = z.enum(['user', 'bot_token', 'provider', 'system', 'anonymous']);

/** What is kept of who did something. */
export const storedActor = z.strictObject({ kind: actorKind, id: z.string(), name: z.string() });

/** Whoever does something: permissions are decided by it, and log entries name it (LOG-7). */
export interface Actor {
  kind: z.output<typeof actorKind>;
  /** chatUserId, tokenId, or the name of what acted. */
  id: string;
  name: string;
  /** The role held in the guild that is being acted in; null outside of guilds. */
  role: TeamRole | null;
  platformAdmin: boolean;
  /** For a bot token: the guild it belongs to, or `*` for the platform's own. */
  tokenGuildId?: string;
  /** For a bot token that may hand in the codes of people who typed them in a Roblox game, and nothing else. */
  redeemsOnly?: true;
  /** For a bot token that a person made: their chatUserId. Tokens of the command line have nobody behind them. */
  makerId?: string;
  /** For a person on the web: the hashed id of the session, and the picture shown in the dashboard. */
  sessionId?: string;
  avatarUrl?: string | null;
}

export const anonymous: Actor = { kind: 'anonymous', id: 'anonymous', name: '', role: null, platformAdmin: false };

/** The chatUserId of the person who acts, or made the bot token that does; null when it is nobody (AUTH-43). */
export function personBehind({ kind, id, makerId }: Actor): string | null {
  return kind === 'user' ? id : (makerId ?? null);
}

/** Whether somebody acts by a bot token of one guild, whose word on people's accounts is a claim (VER-11). */
export const isOfGuildToken = ({ kind, tokenGuildId }: Actor): boolean => kind === 'bot_token' && tokenGuildId !== '*';

/** Rolelink itself; `name` says what acted: `member-join`, `retry-syncs` … */
export function systemActor(name: string): Actor {
  return { kind: 'system', id: name, name, role: 'owner', platformAdmin: false };
}

/** A person who asked to be erased. `actor` is who they were; `pseudonym` replaces them afterwards. */
export interface ErasedPerson {
  chatUserId: string;
  actor: Actor;
  pseudonym: string;
  /** What the person did after this is a new beginning, and stays. */
  requestedAt: Date;
}

/** The person themselves, acting over Discord. */
export function chatUser(chatUserId: string, name: string, role: TeamRole | null = null): Actor {
  return { kind: 'user', id: chatUserId, name, role, platformAdmin: false };
}
