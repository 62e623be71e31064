import { config } from '../../config/config.js';
import { clock } from '../../lib/clock.js';
import { AppError, NotFound } from '../../lib/errors.js';
import {
  type ConnectedGame,
  readConnectedGames,
  readUserGuilds,
  readUserProfile,
  type UserProfile,
} from '../../platforms/discord/signed-in-user.js';
import { type Actor, chatUser } from '../actors/actor.js';
import { type NewEntry, newEntry } from '../audit/audit-service.js';
import { discordOAuth, isRefusal, oauthFailure, openid, type PersonTokens, tokensFrom } from './discord-oauth.js';
import { readSessionCookie } from './session-cookie.js';
import { deviceOf } from './session-device.js';
import {
  endSession,
  findOwnSession,
  findSession,
  type ManagedGuild,
  sessionsOf,
  startSession,
} from './session-service.js';
import { type ExtraScope, signInCookie, signInCookieName, signInsOf } from './sign-ins-under-way.js';

/** The person declined, or the answer belongs to no sign-in started by this browser. */
class SignInFailed extends AppError {
  constructor(message: string, options?: ErrorOptions) {
    super('sign_in_failed', message, {}, options);
  }
}

/** The person's identity and, for server pages, their servers. Members that only verify are not asked for servers. */
const scopesFor = (returnTo: string, extra: string | null): string[] => {
  const looksAtServers = extra === null && !returnTo.startsWith('/verify/');
  return ['identify', ...(looksAtServers ? ['guilds'] : []), ...(extra === null ? [] : [extra])];
};

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
 * Begins a sign-in (OAuth 2.0 code flow with PKCE and state), beside those that the browser's cookie holds. Returns the
 * redirect address and the `Set-Cookie` value. `extra` adds a scope: connected accounts, or writing Linked Roles.
 * Discord asks for these each time, since any page can send a browser here. Throws SignInNotConfigured, and
 * ChatPlatformUnavailable while the application's id is unknown.
 */
export async function beginSignIn(
  wanted: string | undefined,
  extra: ExtraScope | null,
  cookie: string | undefined,
): Promise<{ url: string; cookie: string }> {
  const returnTo = localPath(wanted);
  const scopes = scopesFor(returnTo, extra);
  const oauth = await openid();
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
  const signIn = { state, verifier, returnTo, extra, scopes, at: clock.epochMs() };
  return { url: url.href, cookie: await signInCookie([signIn, ...(await signInsOf(cookie))]) };
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
  /** The `Set-Cookie` value without this sign-in, which can't be answered a second time. */
  cookie: string;
}

/**
 * Finishes a sign-in from the callback's query and the cookie from its start. Throws SignInFailed, SignInNotConfigured,
 * and ChatPlatformUnavailable if Discord doesn't answer.
 */
export async function finishSignIn(query: URLSearchParams, cookie: string | undefined): Promise<SignedIn> {
  const underWay = await signInsOf(cookie);
  const signIn = underWay.find(({ state, done }) => state === query.get('state') && done === undefined);
  if (signIn === undefined)
    throw new SignInFailed('This sign-in was not begun in this browser, or took too long. Try again.');
  const { state, verifier, returnTo, extra, scopes } = signIn;
  const tokens = await exchange(query, state, verifier);
  const { accessToken } = tokens;
  const [profile, guilds, connected] = await Promise.all([
    readUserProfile(accessToken),
    scopes.includes('guilds') ? readUserGuilds(accessToken) : null,
    extra === 'connections' ? readConnectedGames(accessToken) : null,
  ]);
  const managedGuilds = guilds?.filter(({ manages }) => manages).map(({ manages: _, ...guild }) => guild) ?? null;
  const roleTokens = extra === 'role_connections.write' ? tokens : null;
  const ended = await signInCookie(underWay.map((each) => (each === signIn ? { ...each, done: true as const } : each)));
  return { profile, managedGuilds, returnTo, connected, roleTokens, cookie: ended };
}

/**
 * Where a callback leads that this browser has answered already, as after a refreshed page, if its session goes on;
 * else null (AUTH-64).
 */
export async function answeredBefore(state: string | undefined, cookies: (name: string) => string | undefined) {
  const session = readSessionCookie(cookies);
  const ended = (await signInsOf(cookies(signInCookieName()))).find((each) => each.done && each.state === state);
  if (ended === undefined || session === undefined || (await findSession(session)) === null) return null;
  return ended.returnTo;
}

/**
 * Starts a returning person's session. If Discord was not asked for their servers, the list from their previous sign-in
 * is used. `userAgent`: the browser's. Returns the session's id.
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

/** Ends a session the caller has. Throws NotFound `session_not_found`. */
export async function endOwnSession(actor: Actor, sessionId: string): Promise<void> {
  const hash = await findOwnSession(actor, sessionId);
  if (hash === null) throw new NotFound('session_not_found', 'You have no session with this ID.');
  await endSession(hash, entryOf(actor, 'session.ended'));
}

/** Ends the caller's sessions, in every browser, or all but the one that asks. Each one is logged. */
export async function signOutEverywhere(actor: Actor, but?: 'this'): Promise<void> {
  for (const { _id } of await sessionsOf(actor.id)) {
    if (but === 'this' && _id === actor.sessionId) continue;
    await endSession(_id, entryOf(actor, 'session.ended'));
  }
}

function entryOf(actor: Actor, action: 'session.started' | 'session.ended'): NewEntry {
  return newEntry({ guildId: null, actor, action, target: { kind: 'person', id: actor.id, name: actor.name } });
}

async function exchange(query: URLSearchParams, expectedState: string, verifier: string): Promise<PersonTokens> {
  const [oauth, server] = await Promise.all([openid(), discordOAuth()]);
  const callback = new URL(`${redirectUri()}?${query.toString()}`);
  try {
    const checks = { expectedState, pkceCodeVerifier: verifier };
    return tokensFrom(await oauth.authorizationCodeGrant(server, callback, checks));
  } catch (cause) {
    if (await isRefusal(cause)) throw new SignInFailed('Discord did not confirm the sign-in. Try again.', { cause });
    throw oauthFailure(cause);
  }
}
