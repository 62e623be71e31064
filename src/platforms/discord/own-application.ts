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

export interface OwnApplication {
  applicationId: string;
  name: string;
  /** The allowed redirect addresses after sign-in. */
  redirectUris: string[];
  /** Whether the intent "Server Members" is on. */
  seesMembers: boolean;
  /** Whether Discord has reviewed that intent. */
  isReviewed: boolean;
  /** The page where people connect themselves for Linked Roles. */
  verificationUrl: string | null;
}

const { GatewayGuildMembers, GatewayGuildMembersLimited, GatewayPresenceLimited, GatewayMessageContentLimited } =
  ApplicationFlags;
/** The flags that an application may change itself; Discord accepts only these. */
const changeable = GatewayPresenceLimited | GatewayGuildMembersLimited | GatewayMessageContentLimited;
const { ManageRoles, ManageNicknames, ViewChannel, SendMessages } = PermissionFlagsBits;
const neededPermissions = ManageRoles | ManageNicknames | ViewChannel | SendMessages;

let known: Promise<OwnApplication> | undefined;

/**
 * The application's id: DISCORD_CLIENT_ID, or the one that Discord returns for the token. Throws as
 * `readOwnApplication`.
 */
export async function applicationId(): Promise<string> {
  return config().discord.clientId ?? (await ownApplication()).applicationId;
}

/** The application as first read from Discord. Throws as `readOwnApplication`. */
export function ownApplication(): Promise<OwnApplication> {
  known ??= readOwnApplication();
  // After a failure, the next caller asks again.
  known.catch(() => (known = undefined));
  return known;
}

/** The link for adding the bot to any server, or to this one, with its required permissions. */
export function inviteLink(application: string, guildId?: string): string {
  const link = `https://discord.com/oauth2/authorize?client_id=${application}&scope=bot+applications.commands&permissions=${neededPermissions}`;
  return guildId === undefined ? link : `${link}&guild_id=${guildId}&disable_guild_select=true`;
}

/**
 * The bot's first 200 servers, with the permissions missing in each and Discord's member count. Throws
 * ChatPlatformUnavailable.
 */
export async function servedGuilds(): Promise<{ name: string; lacks: string[]; members: number }[]> {
  const found = await oneCallRest(config().discord.token, 'Bot')
    .get(Routes.userGuilds(), { query: new URLSearchParams({ with_counts: 'true' }) })
    .catch((cause: unknown) => {
      throw new ChatPlatformUnavailable(undefined, { cause });
    });
  return parseAnswer(userGuildsAnswer, found).map(({ name, permissions, approximate_member_count: members }) => ({
    name,
    members: members ?? 0,
    lacks: isAdministrator(permissions) ? [] : permissionNames(neededPermissions & ~permissions),
  }));
}

/** Reads the application of DISCORD_TOKEN. Throws ConfigError for an invalid token, and ChatPlatformUnavailable. */
export async function readOwnApplication(): Promise<OwnApplication> {
  return (await askApplication()).application;
}

/**
 * Checks that the gateway will accept the bot: the token is valid and DISCORD_CLIENT_ID is its application's. The
 * intent "Server Members" must be on; it is switched on here if Discord allows that (bots in fewer than 100 servers).
 * Throws ConfigError with the remedy, and ChatPlatformUnavailable.
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
  const isReviewed = (flags & GatewayGuildMembers) !== 0;
  return { application: { applicationId: id, name, redirectUris, seesMembers, isReviewed, verificationUrl }, flags };
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
  logger.info('turned on the Server Members intent of the Discord application');
}
