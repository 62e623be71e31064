import type { TeamRole } from './team-roles.js';

/** Whoever does something: permissions are decided by it, and log entries name it (SPEC §2, §4). */
export interface Actor {
  /**
   * `system` is Rolelink itself: a job or a gateway event; `provider` the billing provider, whose events change plans.
   * `anonymous` only ever reaches open endpoints.
   */
  kind: 'user' | 'bot_token' | 'system' | 'provider' | 'anonymous';
  /** chatUserId, tokenId, or the name of the job or event. */
  id: string;
  name: string;
  /** The role held in the guild that is being acted in; null outside of guilds. */
  role: TeamRole | null;
  platformAdmin: boolean;
  /** For a bot token: the guild it belongs to, or `*` for the platform's own. */
  tokenGuildId?: string;
  /** For a person on the web: the hashed id of the session, and the picture shown in the dashboard. */
  sessionId?: string;
  avatarUrl?: string | null;
}

export const anonymous: Actor = { kind: 'anonymous', id: 'anonymous', name: '', role: null, platformAdmin: false };

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
