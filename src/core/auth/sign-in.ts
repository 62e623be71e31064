import { z } from 'zod';
import { config } from '../../config/config.js';
import { clock } from '../../lib/clock.js';
import { AppError, ChatPlatformUnavailable, NotFound } from '../../lib/errors.js';
import { onFirstUse } from '../../lib/on-first-use.js';
import {
  type ConnectedGame,
  readConnectedGames,
  readUserGuilds,
  readUserProfile,
  type UserProfile,
} from '../../platforms/discord/signed-in-user.js';
import { type Actor, chatUser } from '../actors/actor.js';
import { type NewEntry, newEntry } from '../audit/audit-service.js';
import { discordOAuth, isRefusal, openid, type PersonTokens, tokensFrom } from './discord-oauth.js';
import { secureName, serializeCookie } from './session-cookie.js';
import { deviceOf } from './session-device.js';
import { endSession, findOwnSession, type ManagedGuild, sessionsOf, startSession } from './session-service.js';

const jose = onFirstUse(() => import('jose'));

/** The person declined, or the answer belongs to no sign-in started by this browser. */
class SignInFailed extends AppError {
  constructor(message: string, options?: ErrorOptions) {
    super('sign_in_failed', message, {}, options);
  }
}

/** The cookie that ties Discord's answer to the browser that started the sign-in. It lives ten minutes. */
export const signInCookieName = (): string => secureName('rolelink_sign_in');
const signInLifeSeconds = 600;

/** The `Set-Cookie` value that begins a sign-in; an empty `value` ends it. */
export function signInCookie(value: string): string {
  return serializeCookie(signInCookieName(), value, value === '' ? 0 : signInLifeSeconds);
}

/** The person's identity and, for server pages, their servers. Members that only verify are not asked for servers. */
const scopesFor = (returnTo: string, extra: string | null): string[] => {
  const looksAtServers = extra === null && !returnTo.startsWith('/verify/');
  return ['identify', ...(looksAtServers ? ['guilds'] : []), ...(extra === null ? [] : [extra])];
};

/** Additional scopes that a person can be asked for. */
const extraScope = z.enum(['connections', 'role_connections.write']);
const pendingSignIn = z.object({
  state: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  extra: extraScope.nullable().default(null),
  scopes: z.array(z.string()).default(['identify', 'guilds']),
});

/** Discord's OAuth redirect; it must be registered with the application. */
const redirectUri = (): string => `${config().publicUrl}/api/auth/callback`;

/**
 * A path on this host. It starts with exactly one slash and contains nothing that browsers read as another host. Any
 * other value becomes `/`.
 */
export function localPath(returnTo: string | undefined): string {
  if (returnTo === undefined || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(returnTo)) return '/';
  return returnTo;
}

/**
 * Begins a sign-in (OAuth 2.0 code flow with PKCE and state). Returns the redirect address and the cookie's value.
 * `extra` adds a scope: connected accounts, or writing Linked Roles. Discord asks for these each time, since any page
 * can send a browser here. Throws SignInNotConfigured, and ChatPlatformUnavailable while the application's id is
 * unknown.
 */
export async function beginSignIn(
  wanted: string | undefined,
  extra: z.output<typeof extraScope> | null,
): Promise<{ url: string; cookie: string }> {
  const returnTo = localPath(wanted);
  const scopes = scopesFor(returnTo, extra);
  const [oauth, { EncryptJWT }] = await Promise.all([openid(), jose()]);
  const verifier = oauth.randomPKCECodeVerifier();
  const state = oauth.randomState();
  const url = oauth.buildAuthorizationUrl(await discordOAuth(), {
    redirect_uri: redirectUri(),
    scope: scopes.join(' '),
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    prompt: extra === null ? 'none' : 'consent',
  });
  const cookie = await new EncryptJWT({ state, verifier, returnTo, extra, scopes })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setExpirationTime(new Date(clock.epochMs() + signInLifeSeconds * 1000))
    .encrypt(config().secretsKey);
  return { url: url.href, cookie };
}

/** A person returning from Discord, with their destination. `startSignedIn` signs them in. */
export interface SignedIn {
  profile: UserProfile;
  /** Null if they were not asked for their servers. */
  managedGuilds: ManagedGuild[] | null;
  returnTo: string;
  /** The Roblox accounts connected on Discord; null if they were not asked for them. */
  connected: ConnectedGame[] | null;
  /** Tokens for writing Linked Roles in their name; null if they were not asked for that. */
  roleTokens: PersonTokens | null;
}

/**
 * Finishes a sign-in from the callback's query and the cookie of its start. Throws SignInFailed, SignInNotConfigured,
 * and ChatPlatformUnavailable if Discord doesn't answer.
 */
export async function finishSignIn(query: URLSearchParams, cookie: string | undefined): Promise<SignedIn> {
  const { state, verifier, returnTo, extra, scopes } = await openCookie(cookie);
  const tokens = await exchange(query, state, verifier);
  const { accessToken } = tokens;
  const [profile, guilds, connected] = await Promise.all([
    readUserProfile(accessToken),
    scopes.includes('guilds') ? readUserGuilds(accessToken) : null,
    extra === 'connections' ? readConnectedGames(accessToken) : null,
  ]);
  const managedGuilds = guilds?.filter(({ manages }) => manages).map(({ manages: _, ...guild }) => guild) ?? null;
  const roleTokens = extra === 'role_connections.write' ? tokens : null;
  return { profile, managedGuilds, returnTo, connected, roleTokens };
}

/**
 * Starts the session of a returning person. If Discord was not asked for their servers, the list from their previous
 * sign-in is used. `userAgent`: that of the browser. Returns the session's id.
 */
export async function startSignedIn({ profile, managedGuilds }: SignedIn, userAgent?: string): Promise<string> {
  const entry = entryOf(chatUser(profile.chatUserId, profile.username), 'session.started');
  const known = managedGuilds ?? (await knownGuildsOf(profile.chatUserId));
  return startSession({ ...profile, managedGuilds: known, device: deviceOf(userAgent) }, entry);
}

/** The servers in a person's newest session; null if none lists them. */
async function knownGuildsOf(chatUserId: string): Promise<ManagedGuild[] | null> {
  const sessions = await sessionsOf(chatUserId);
  return sessions.findLast((session) => session.managedGuilds !== undefined)?.managedGuilds ?? null;
}

export const signInEnabled = (): boolean => config().discord.clientSecret !== undefined;

export async function signOut(actor: Actor): Promise<void> {
  await endSession(actor.sessionId ?? '', entryOf(actor, 'session.ended'));
}

/** Ends one of the caller's sessions. Throws NotFound `session_not_found`. */
export async function endOwnSession(actor: Actor, sessionId: string): Promise<void> {
  const hash = await findOwnSession(actor, sessionId);
  if (hash === null) throw new NotFound('session_not_found', 'You have no session with this ID.');
  await endSession(hash, entryOf(actor, 'session.ended'));
}

/** Ends all of the caller's sessions, in every browser, or all but the one that asks. Each one is logged. */
export async function signOutEverywhere(actor: Actor, but?: 'this'): Promise<void> {
  for (const { _id } of await sessionsOf(actor.id)) {
    if (but === 'this' && _id === actor.sessionId) continue;
    await endSession(_id, entryOf(actor, 'session.ended'));
  }
}

function entryOf(actor: Actor, action: 'session.started' | 'session.ended'): NewEntry {
  return newEntry({ guildId: null, actor, action, target: { kind: 'person', id: actor.id, name: actor.name } });
}

async function openCookie(cookie: string | undefined): Promise<z.output<typeof pendingSignIn>> {
  const { jwtDecrypt } = await jose();
  try {
    const { payload } = await jwtDecrypt(cookie ?? '', config().secretsKey, { currentDate: clock.now() });
    return pendingSignIn.parse(payload);
  } catch (cause) {
    throw new SignInFailed('This sign-in was not begun in this browser, or took too long. Try again.', { cause });
  }
}

async function exchange(query: URLSearchParams, expectedState: string, verifier: string): Promise<PersonTokens> {
  const [oauth, server] = await Promise.all([openid(), discordOAuth()]);
  const callback = new URL(`${redirectUri()}?${query.toString()}`);
  try {
    const checks = { expectedState, pkceCodeVerifier: verifier };
    return tokensFrom(await oauth.authorizationCodeGrant(server, callback, checks));
  } catch (cause) {
    if (await isRefusal(cause)) throw new SignInFailed('Discord did not confirm the sign-in. Try again.', { cause });
    throw new ChatPlatformUnavailable(undefined, { cause });
  }
}
