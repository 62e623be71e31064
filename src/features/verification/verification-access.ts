import { guildSuspended, requireStillActive } from '../../core/access/guild-access.js';
import { type Actor, isOfGuildToken } from '../../core/actors/actor.js';
import { holds } from '../../core/actors/team-roles.js';
import { findPresentGuild, type Guild } from '../../core/guilds/guild-service.js';
import { Forbidden, InvalidRequest, NotFound } from '../../lib/errors.js';
import { hashSecret } from '../../lib/ids.js';
import { t } from '../../lib/translate.js';
import { readMember } from '../../platforms/discord/guild-members.js';
import type { AccountUse } from '../accounts/account-use.js';
import { readSessionToken } from './oauth-proof.js';
import type { StoredVerification } from './verification-model.js';
import type { KnownGuild } from './verification-rules.js';
import { findVerification } from './verification-store.js';

/**
 * The person that a caller acts for: people for themselves, a bot token for the `named` person. `path` is the input's
 * field for the name. Throws Forbidden for another person, InvalidRequest for a token without a name.
 */
export function personMeant(actor: Actor, named: string | undefined, path: string): string {
  if (actor.kind === 'bot_token') {
    if (named === undefined) throw new InvalidRequest([{ path, message: 'is required with a bot token' }]);
    return named;
  }
  if (named !== undefined && named !== actor.id) throw new Forbidden('forbidden', 'You can only do this for yourself.');
  return actor.id;
}

/** The person that a caller may unlink: themselves, or any person for a platform token (`*`) (ID-6). */
export function personToUnlink(actor: Actor, named: string | undefined): string {
  if (actor.kind === 'bot_token' && actor.tokenGuildId !== '*') {
    throw new Forbidden('forbidden', 'A server may unlink its members, but only they can remove their account.');
  }
  requireManager(actor);
  return personMeant(actor, named, 'query.chatUserId');
}

/**
 * The guild in which `actor` may start `chatUserId`'s verification, and the person's name there. A guild's token means
 * its own guild when none is named. Throws NotFound `guild_not_found` and `member_not_found`, Forbidden (also
 * `guild_suspended`), ChatPlatformUnavailable.
 */
export async function enterForCreation(
  actor: Actor,
  wish: { guildId: string | null; chatUserId: string },
  known?: KnownGuild,
): Promise<{ guild: Guild | null; chatUsername: string }> {
  const { chatUserId } = wish;
  const guildId = wish.guildId ?? ownGuildId(actor);
  const guild = guildId !== null && speaksFor(actor, guildId) ? await presentGuild(guildId, known) : null;
  if (guildId !== null && guild === null) throw noSuchGuild();
  requireManager(actor);
  if (guild === null) return { guild, chatUsername: actor.kind === 'user' ? actor.name : chatUserId };
  const member = await readMember(guild._id, chatUserId);
  if (member === null && actor.kind === 'user') throw noSuchGuild();
  if (guild.state === 'suspended') throw guildSuspended(guild);
  if (member === null) throw new NotFound('member_not_found', "This person isn't in the server.");
  return { guild, chatUsername: member.username };
}

/**
 * A token's session if the actor may see it. Throws NotFound `session_not_found` otherwise, and Forbidden
 * `guild_suspended` for a guild's bot token; people can always see their own session.
 */
export async function findOwnSession(token: string, actor: Actor): Promise<StoredVerification> {
  const stored = await findVisible(token, actor);
  if (actor.kind === 'bot_token' && stored.guildId !== null) await requireStillActive(stored.guildId);
  return stored;
}

/**
 * The session and its guild, to change them. Throws NotFound `session_not_found`, or `guild_not_found` when the bot has
 * left; Forbidden for a token below manager, and `guild_suspended`.
 */
export async function enterSession(
  token: string,
  actor: Actor,
  known?: KnownGuild,
): Promise<{ stored: StoredVerification; guild: Guild | null }> {
  const stored = await findVisible(token, actor);
  const guild = stored.guildId === null ? null : await presentGuild(stored.guildId, known);
  if (guild?.state === 'suspended') throw guildSuspended(guild);
  requireManager(actor);
  if (stored.guildId !== null && guild === null) throw noSuchGuild();
  return { stored, guild };
}

/**
 * Checks that `actor` may choose an account's use. A guild token's proof is a claim, and its person chooses (VER-40).
 * Throws InvalidRequest.
 */
export function requireChooser(actor: Actor, use: AccountUse | undefined): void {
  if (use === undefined || !isOfGuildToken(actor)) return;
  throw new InvalidRequest([{ path: 'use', message: 'does not belong beside a claim: its person chooses' }]);
}

/** A session's person, for callers that may see it; otherwise null. */
export async function personOfSession(token: string, actor: Actor): Promise<string | null> {
  const stored = await findVerification({ _id: hashSecret(token) });
  return stored !== null && maySee(actor, stored) ? stored.chatUserId : null;
}

async function findVisible(token: string, actor: Actor): Promise<StoredVerification> {
  const stored = await findVerification({ _id: hashSecret(token) });
  if (stored === null || !maySee(actor, stored)) throw noSuchSession();
  return stored;
}

async function presentGuild(guildId: string, known?: KnownGuild): Promise<Guild | null> {
  return known?.guild._id === guildId ? known.guild : findPresentGuild(guildId);
}

/**
 * The token of the person's session with this `state`, after they return from Roblox. Throws NotFound
 * `session_not_found`, also for another person's session, so that no one can be made to finish someone else's sign-in.
 */
export async function findReturningToken(state: string, actor: Actor): Promise<string> {
  const stored = await findVerification({ 'oauth.stateHash': hashSecret(state) });
  if (stored === null || stored.oauth === null || stored.chatUserId !== actor.id) throw noSuchSession();
  const token = await readSessionToken(stored.oauth, state);
  if (token === null) throw noSuchSession();
  return token;
}

const noSuchSession = (): NotFound =>
  new NotFound(
    'session_not_found',
    "This verification doesn't exist, was started too long ago, or belongs to another Discord account.",
  );

const noSuchGuild = (): NotFound => new NotFound('guild_not_found', t('error.no_such_guild'));

function maySee(actor: Actor, { chatUserId, guildId }: StoredVerification): boolean {
  return actor.kind === 'user' ? actor.id === chatUserId : speaksFor(actor, guildId);
}

/** Whether a caller may name the guild at all. People may if they are members, which Discord is asked for. */
function speaksFor(actor: Actor, guildId: string | null): boolean {
  if (actor.kind === 'user') return true;
  return actor.kind === 'bot_token' && (actor.tokenGuildId === '*' || actor.tokenGuildId === guildId);
}

function ownGuildId({ tokenGuildId }: Actor): string | null {
  return tokenGuildId === undefined || tokenGuildId === '*' ? null : tokenGuildId;
}

/** Verifying others takes manager; people need no team role to verify themselves. */
function requireManager(actor: Actor): void {
  if (actor.kind === 'bot_token' && !holds(actor.role, 'manager')) {
    throw new Forbidden('forbidden', `This takes the role manager; the token's is ${actor.role}.`);
  }
}
