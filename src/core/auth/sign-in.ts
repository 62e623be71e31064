import { EncryptJWT, jwtDecrypt } from 'jose';
import * as oauth from 'openid-client';
import { z } from 'zod';
import { config } from '../../config.js';
import { clock } from '../../lib/clock.js';
import { AppError, ChatPlatformUnavailable } from '../../lib/errors.js';
import { applicationId } from '../../platforms/discord/own-application.js';
import {
  type ConnectedGame,
  readConnectedGames,
  readUserGuilds,
  readUserProfile,
  type UserProfile,
} from '../../platforms/discord/signed-in-user.js';
import { type Actor, chatUser } from '../actors/actor.js';
import { type NewEntry, newEntry } from '../audit/audit-service.js';
import { secureName, serializeCookie } from './session-cookie.js';
import { endSession, type ManagedGuild, sessionsOf, startSession } from './session-service.js';

/** The person declined, or the answer doesn't belong to a sign-in that this browser started. */
class SignInFailed extends AppError {
  constructor(message: string, options?: ErrorOptions) {
    super('sign_in_failed', message, {}, options);
  }
}

/** The operator has not set DISCORD_CLIENT_SECRET: the bot works, the web does not. */
export class SignInNotConfigured extends AppError {
  constructor() {
    super(
      'sign_in_not_configured',
      'Signing in is not set up here. Whoever runs the bot has to set DISCORD_CLIENT_SECRET.',
    );
  }
}

/** The cookie that ties Discord's answer to the browser that asked. It lives ten minutes. */
export const signInCookieName = (): string => secureName('rolelink_sign_in');
const signInLifeSeconds = 600;

/** The `Set-Cookie` value that begins a sign-in; an empty `value` ends it. */
export function signInCookie(value: string): string {
  return serializeCookie(signInCookieName(), value, value === '' ? 0 : signInLifeSeconds);
}

const scope = 'identify guilds';
const pendingSignIn = z.object({
  state: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  /** Whether the person was asked for their connections too. */
  withConnections: z.boolean().default(false),
});

/** The redirect of Discord's OAuth; it must be registered with the application. */
const redirectUri = (): string => `${config().publicUrl}/api/auth/callback`;

/**
 * A path on this host: it starts with one slash and holds nothing that a browser would read as another host. Anything
 * else becomes `/`.
 */
export function localPath(returnTo: string | undefined): string {
  if (returnTo === undefined || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(returnTo)) return '/';
  return returnTo;
}

/**
 * Begins a sign-in (OAuth 2.0 code flow with PKCE and state): where to send the browser, and its cookie's value. With
 * `withConnections` the person is asked for the accounts that they have connected, too. Throws SignInNotConfigured, and
 * ChatPlatformUnavailable while nobody knows the application's id.
 */
export async function beginSignIn(
  returnTo: string | undefined,
  withConnections: boolean,
): Promise<{ url: string; cookie: string }> {
  const verifier = oauth.randomPKCECodeVerifier();
  const state = oauth.randomState();
  const url = oauth.buildAuthorizationUrl(await discordOAuth(), {
    redirect_uri: redirectUri(),
    scope: withConnections ? `${scope} connections` : scope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    prompt: 'none',
  });
  const cookie = await new EncryptJWT({ state, verifier, returnTo: localPath(returnTo), withConnections })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setExpirationTime(new Date(clock.epochMs() + signInLifeSeconds * 1000))
    .encrypt(config().secretsKey);
  return { url: url.href, cookie };
}

/** Who came back from Discord, and where they want to go. They are signed in by `startSignedIn`. */
export interface SignedIn {
  profile: UserProfile;
  managedGuilds: ManagedGuild[];
  returnTo: string;
  /** The Roblox accounts that they have connected on Discord; null when they were not asked for them. */
  connected: ConnectedGame[] | null;
}

/**
 * Finishes a sign-in from the callback's query and the cookie of its start. Throws SignInFailed, SignInNotConfigured, and
 * ChatPlatformUnavailable when Discord doesn't answer.
 */
export async function finishSignIn(query: URLSearchParams, cookie: string | undefined): Promise<SignedIn> {
  const { state, verifier, returnTo, withConnections } = await openCookie(cookie);
  const accessToken = await exchange(query, state, verifier);
  const [profile, guilds, connected] = await Promise.all([
    readUserProfile(accessToken),
    readUserGuilds(accessToken),
    withConnections ? readConnectedGames(accessToken) : null,
  ]);
  const managedGuilds = guilds.filter(({ manages }) => manages).map(({ manages: _, ...guild }) => guild);
  return { profile, managedGuilds, returnTo, connected };
}

/** Starts the session of who has come back. Returns its id. */
export function startSignedIn({ profile, managedGuilds }: SignedIn): Promise<string> {
  const entry = entryOf(chatUser(profile.chatUserId, profile.username), 'session.started');
  return startSession({ ...profile, managedGuilds }, entry);
}

/** Whether people can sign in here at all. */
export const signInEnabled = (): boolean => config().discord.clientSecret !== undefined;

/** Ends the caller's session at once. */
export async function signOut(actor: Actor): Promise<void> {
  await endSession(actor.sessionId ?? '', entryOf(actor, 'session.ended'));
}

/** Ends all sessions of the caller at once, in whatever browser. Each leaves its log entry. */
export async function signOutEverywhere(actor: Actor): Promise<void> {
  for (const { _id } of await sessionsOf(actor.id)) await endSession(_id, entryOf(actor, 'session.ended'));
}

function entryOf(actor: Actor, action: 'session.started' | 'session.ended'): NewEntry {
  return newEntry({ guildId: null, actor, action, target: { kind: 'person', id: actor.id, name: actor.name } });
}

async function openCookie(cookie: string | undefined): Promise<z.output<typeof pendingSignIn>> {
  try {
    const { payload } = await jwtDecrypt(cookie ?? '', config().secretsKey, { currentDate: clock.now() });
    return pendingSignIn.parse(payload);
  } catch (cause) {
    throw new SignInFailed('This sign-in was not begun in this browser, or took too long. Try again.', { cause });
  }
}

async function exchange(query: URLSearchParams, expectedState: string, pkceCodeVerifier: string): Promise<string> {
  const server = await discordOAuth();
  const callback = new URL(`${redirectUri()}?${query.toString()}`);
  try {
    const tokens = await oauth.authorizationCodeGrant(server, callback, { expectedState, pkceCodeVerifier });
    return tokens.access_token;
  } catch (cause) {
    const refused = cause instanceof oauth.AuthorizationResponseError || cause instanceof oauth.ResponseBodyError;
    if (refused || (cause instanceof oauth.ClientError && cause.code === 'OAUTH_INVALID_RESPONSE')) {
      throw new SignInFailed('Discord did not confirm the sign-in. Try again.', { cause });
    }
    throw new ChatPlatformUnavailable(undefined, { cause });
  }
}

/**
 * Discord as an OAuth server. It publishes no discovery document, so these are the endpoints of its documentation. Throws
 * SignInNotConfigured without DISCORD_CLIENT_SECRET, and ChatPlatformUnavailable.
 */
async function discordOAuth(): Promise<oauth.Configuration> {
  const { apiUrl, clientSecret } = config().discord;
  if (clientSecret === undefined) throw new SignInNotConfigured();
  const client = new oauth.Configuration(
    {
      issuer: new URL(apiUrl).origin,
      authorization_endpoint: new URL('/oauth2/authorize', apiUrl).href,
      token_endpoint: `${apiUrl}/v10/oauth2/token`,
    },
    await applicationId(),
    {},
    oauth.ClientSecretBasic(clientSecret),
  );
  client.timeout = 10;
  if (apiUrl.startsWith('http:')) oauth.allowInsecureRequests(client);
  return client;
}
