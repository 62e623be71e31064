import { ApplicationFlags } from 'discord-api-types/v10';
import { z } from 'zod';
import { DiscordError, fieldError, parseForm } from './discord-error.js';
import type { DiscordState } from './discord-state.js';
import { type Call, type Endpoint, ok } from './endpoint.js';
import { type GatewayServer, identifiesPerDay } from './gateway-server.js';
import { userOf } from './rest-lookup.js';
import {
  channelJson,
  connectionJson,
  ownApplicationJson,
  ownUserJson,
  publicApplicationJson,
  userJson,
} from './wire.js';

const dayMs = 24 * 60 * 60_000;
const { GatewayPresenceLimited, GatewayGuildMembersLimited, GatewayMessageContentLimited } = ApplicationFlags;
const changeableFlags = GatewayPresenceLimited | GatewayGuildMembersLimited | GatewayMessageContentLimited;
const applicationSchema = z.object({
  flags: z.int().min(0).optional(),
  role_connections_verification_url: z.url({ protocol: /^https?$/ }).nullish(),
});
const directMessageSchema = z.object({ recipient_id: z.string().regex(/^\d+$/) });

/** The bot itself, its application, its way to the gateway, people, and direct messages with them. */
export function userRoutes(state: DiscordState, gateway: GatewayServer): Endpoint[] {
  const bot = { credential: 'bot' } as const;
  const own = () => ok(ownApplicationJson(state));
  return [
    { endpoint: 'GET /gateway', credential: 'none', handle: () => ok({ url: gateway.url }) },
    { endpoint: 'GET /gateway/bot', ...bot, handle: () => ok(botGateway(gateway)) },
    { endpoint: 'GET /applications/@me', ...bot, handle: own },
    { endpoint: 'PATCH /applications/@me', ...bot, handle: (call) => changeApplication(state, call) },
    { endpoint: 'GET /oauth2/applications/@me', ...bot, handle: own },
    { endpoint: 'GET /oauth2/@me', credential: 'bearer', handle: (call) => ok(authorizationJson(state, call)) },
    { endpoint: 'GET /users/@me', credential: 'bot or bearer', handle: (call) => ok(ownUser(state, call)) },
    { endpoint: 'GET /users/@me/connections', credential: 'bearer', handle: (call) => ok(connections(state, call)) },
    { endpoint: 'POST /users/@me/channels', ...bot, handle: (call) => openDirectChannel(state, call) },
    { endpoint: 'GET /users/:userId', ...bot, handle: (call) => ok(userJson(userOf(state, call))) },
  ];
}

/**
 * Only the intent flags can be changed, and only for an application in fewer than 100 servers. Beside them, where
 * people connect themselves for Linked Roles.
 */
function changeApplication(state: DiscordState, call: Call) {
  const { flags, role_connections_verification_url: verificationUrl } = parseForm(applicationSchema, call.body);
  if (verificationUrl !== undefined) state.application.verificationUrl = verificationUrl;
  if (flags === undefined) return ok(ownApplicationJson(state));
  if (state.membersIntent === 'refused' || (flags & ~changeableFlags) !== 0) {
    throw fieldError(['flags'], 'APPLICATION_FLAGS_INVALID', 'These flags cannot be changed.');
  }
  state.application.flags = (state.application.flags & ~changeableFlags) | flags;
  return ok(ownApplicationJson(state));
}

function botGateway(gateway: GatewayServer) {
  return {
    url: gateway.url,
    shards: 1,
    session_start_limit: {
      total: identifiesPerDay,
      remaining: Math.max(0, identifiesPerDay - gateway.identifies),
      reset_after: dayMs,
      max_concurrency: gateway.maxConcurrency ?? 16,
    },
  };
}

function ownUser(state: DiscordState, call: Call) {
  if (!call.bearer) return ownUserJson(state.bot);
  if (!call.bearer.scopes.includes('identify')) throw new DiscordError('missingScope');
  return ownUserJson(state.user(call.bearer.userId));
}

/** What the person has connected elsewhere. */
function connections(state: DiscordState, { bearer }: Call) {
  if (!bearer) throw new DiscordError('unauthorized');
  if (!bearer.scopes.includes('connections')) throw new DiscordError('missingScope');
  return (state.connections.get(bearer.userId) ?? []).map(connectionJson);
}

function authorizationJson(state: DiscordState, { bearer }: Call) {
  if (!bearer) throw new DiscordError('unauthorized');
  const person = bearer.scopes.includes('identify') ? { user: userJson(state.user(bearer.userId)) } : {};
  return {
    application: publicApplicationJson(state),
    scopes: bearer.scopes,
    expires: new Date(bearer.expiresAt).toISOString(),
    ...person,
  };
}

function openDirectChannel(state: DiscordState, call: Call) {
  const { recipient_id: userId } = parseForm(directMessageSchema, call.body);
  if (!state.users.has(userId)) throw new DiscordError('unknownUser');
  if (userId === state.bot.id) throw new DiscordError('cannotMessageUser');
  return ok(channelJson(state, state.directChannel(userId)));
}
