import { ApplicationFlags, DiscordAPIError, GatewayCloseCodes, PermissionFlagsBits, Routes } from 'discord.js';
import { config } from '../../config/config.js';
import { ChatPlatformUnavailable } from '../../lib/errors.js';
import { noteCall } from '../../lib/last-calls.js';
import { logger } from '../../lib/logger.js';
import { ConfigError } from '../../lib/start-error.js';
import { ownApplicationAnswer, userGuildsAnswer } from './discord-answers.js';
import { gatewayRefusal, tokenRefused } from './gateway-state.js';
import { isAdministrator, permissionNames } from './permissions.js';
import { parseAnswer } from './rest/discord-call.js';
import { oneCallRest } from './rest/one-call-rest.js';

/** The Discord application that DISCORD_TOKEN belongs to. */
export interface OwnApplication {
  applicationId: string;
  name: string;
  /** Where Discord may send a browser back to after sign-in. */
  redirectUris: string[];
  /** Whether the intent "Server Members" is switched on. */
  seesMembers: boolean;
  /** Where Discord sends people who connect themselves for Linked Roles. */
  verificationUrl: string | null;
}

const { GatewayGuildMembers, GatewayGuildMembersLimited, GatewayPresenceLimited, GatewayMessageContentLimited } =
  ApplicationFlags;
/** The flags that Discord lets an application change, and so the ones that it takes. */
const changeable = GatewayPresenceLimited | GatewayGuildMembersLimited | GatewayMessageContentLimited;
const { ManageRoles, ManageNicknames, ViewChannel, SendMessages } = PermissionFlagsBits;
/** What the bot needs in a server. */
const neededPermissions = ManageRoles | ManageNicknames | ViewChannel | SendMessages;

let known: Promise<OwnApplication> | undefined;

/** The application's id: DISCORD_CLIENT_ID, or what Discord tells of the token. Throws as `readOwnApplication`. */
export async function applicationId(): Promise<string> {
  return config().discord.clientId ?? (await ownApplication()).applicationId;
}

/** The application as it was when Discord was first asked. Throws as `readOwnApplication`. */
export function ownApplication(): Promise<OwnApplication> {
  known ??= readOwnApplication();
  // What failed is asked again by the next.
  known.catch(() => (known = undefined));
  return known;
}

/** The link by which somebody adds the bot to a server, or to this one, with the permissions that it needs. */
export function inviteLink(application: string, guildId?: string): string {
  const link = `https://discord.com/oauth2/authorize?client_id=${application}&scope=bot+applications.commands&permissions=${neededPermissions}`;
  return guildId === undefined ? link : `${link}&guild_id=${guildId}&disable_guild_select=true`;
}

/** The servers of the bot, the first 200, with the permissions that it lacks in each. Throws ChatPlatformUnavailable. */
export async function lackedPermissions(): Promise<{ name: string; lacks: string[] }[]> {
  const found = await oneCallRest(config().discord.token, 'Bot')
    .get(Routes.userGuilds())
    .catch((cause: unknown) => {
      throw new ChatPlatformUnavailable(undefined, { cause });
    });
  return parseAnswer(userGuildsAnswer, found).map(({ name, permissions }) => ({
    name,
    lacks: isAdministrator(permissions) ? [] : permissionNames(neededPermissions & ~permissions),
  }));
}

/** Asks Discord whose token DISCORD_TOKEN is. Throws ConfigError when it is nobody's, and ChatPlatformUnavailable. */
export async function readOwnApplication(): Promise<OwnApplication> {
  return (await askApplication()).application;
}

/**
 * Makes sure that the gateway will let the bot in: the token is right, DISCORD_CLIENT_ID is its application's, and the
 * intent "Server Members" is on, or is switched on here, which Discord allows for bots in fewer than 100 servers.
 * Throws ConfigError in a sentence that says what to click, and ChatPlatformUnavailable.
 */
export async function prepareApplication(): Promise<OwnApplication> {
  const { application, flags } = await askApplication();
  const { clientId } = config().discord;
  if (clientId !== undefined && clientId !== application.applicationId) {
    throw new ConfigError(
      `DISCORD_CLIENT_ID is not of the application that DISCORD_TOKEN is of (${application.applicationId}). Leave it empty.`,
    );
  }
  known = Promise.resolve(application);
  if (!application.seesMembers) await allowMembersIntent(flags);
  return application;
}

async function askApplication(): Promise<{ application: OwnApplication; flags: number }> {
  const rest = oneCallRest(config().discord.token, 'Bot');
  const found = await rest.get(Routes.currentApplication()).catch((cause: unknown) => {
    if (cause instanceof DiscordAPIError && cause.status === 401) throw new ConfigError(tokenRefused, { cause });
    throw new ChatPlatformUnavailable(undefined, { cause });
  });
  noteCall('discord', true);
  const { id, name, flags, redirect_uris: redirectUris, ...more } = parseAnswer(ownApplicationAnswer, found);
  const verificationUrl = more.role_connections_verification_url || null;
  const seesMembers = (flags & (GatewayGuildMembers | GatewayGuildMembersLimited)) !== 0;
  return { application: { applicationId: id, name, redirectUris, seesMembers, verificationUrl }, flags };
}

async function allowMembersIntent(flags: number): Promise<void> {
  const body = { flags: (flags & changeable) | GatewayGuildMembersLimited };
  try {
    await oneCallRest(config().discord.token, 'Bot').patch(Routes.currentApplication(), { body });
  } catch (cause) {
    const isRefusal = cause instanceof DiscordAPIError && cause.status < 500 && cause.status !== 429;
    if (!isRefusal) throw new ChatPlatformUnavailable(undefined, { cause });
    throw new ConfigError(gatewayRefusal(GatewayCloseCodes.DisallowedIntents), { cause });
  }
  logger.info('switched on the intent "Server Members" of the Discord application');
}
