import type { DiscordState } from './discord-state.js';
import { permissionsOf } from './permissions.js';
import type {
  SandboxConnection,
  SandboxUser,
  StoredChannel,
  StoredCommand,
  StoredGuild,
  StoredMember,
  StoredRole,
} from './sandbox-model.js';

/** What Discord names `locale` in the sandbox, unless a person's client is set to another language. */
export const locale = 'en-US';

export function userJson(user: SandboxUser) {
  return {
    id: user.id,
    username: user.username,
    discriminator: '0',
    global_name: user.globalName,
    avatar: user.avatar ?? null,
    banner: null,
    accent_color: null,
    avatar_decoration_data: null,
    collectibles: null,
    primary_guild: null,
    public_flags: 0,
    flags: 0,
    bot: user.bot,
  };
}

/** The user as they see themselves (`GET /users/@me`). */
export function ownUserJson(user: SandboxUser) {
  return { ...userJson(user), mfa_enabled: false, locale, premium_type: 0, verified: true };
}

export function memberJson(state: DiscordState, member: StoredMember) {
  return { user: userJson(state.user(member.userId)), ...partialMemberJson(member), mute: false, deaf: false };
}

/** A member without their user: as next to a `users` map or a message's author. */
export function partialMemberJson(member: StoredMember) {
  return {
    nick: member.nickname,
    roles: [...member.roleIds],
    joined_at: member.joinedAt.toISOString(),
    avatar: null,
    banner: null,
    avatar_decoration_data: null,
    collectibles: null,
    communication_disabled_until: null,
    premium_since: null,
    pending: member.pending ?? false,
    flags: member.flags ?? 0,
  };
}

export function roleJson(role: StoredRole) {
  return {
    id: role.id,
    name: role.name,
    permissions: role.permissions.toString(),
    position: role.position,
    color: role.color,
    colors: { primary_color: role.color, secondary_color: null, tertiary_color: null },
    hoist: false,
    managed: role.managed,
    mentionable: false,
    icon: null,
    unicode_emoji: null,
    flags: 0,
    ...(role.botId || role.tags ? { tags: { ...role.tags, ...(role.botId && { bot_id: role.botId }) } } : {}),
  };
}

export function channelJson(state: DiscordState, channel: StoredChannel) {
  const shared = { id: channel.id, flags: 0, last_message_id: [...channel.messages.keys()].at(-1) ?? null };
  if (channel.recipientId !== undefined) {
    return { ...shared, type: 1, recipients: [userJson(state.user(channel.recipientId))] };
  }
  return {
    ...shared,
    type: 0,
    guild_id: channel.guildId,
    name: channel.name,
    topic: null,
    parent_id: null,
    position: 0,
    permission_overwrites: [],
    rate_limit_per_user: 0,
    nsfw: false,
  };
}

export function guildJson(guild: StoredGuild) {
  return {
    id: guild.id,
    name: guild.name,
    owner_id: guild.ownerId,
    roles: [...guild.roles.values()].map(roleJson),
    emojis: [],
    stickers: [],
    features: [],
    ...emptyGuildLooks,
    ...usualGuildSettings,
    system_channel_id: guild.channelId,
  };
}

const emptyGuildLooks = {
  icon: null,
  description: null,
  splash: null,
  discovery_splash: null,
  banner: null,
  application_id: null,
  vanity_url_code: null,
  premium_tier: 0,
  premium_subscription_count: 0,
  premium_progress_bar_enabled: false,
};

const usualGuildSettings = {
  region: 'deprecated',
  preferred_locale: locale,
  afk_channel_id: null,
  afk_timeout: 300,
  system_channel_flags: 0,
  widget_enabled: false,
  widget_channel_id: null,
  verification_level: 0,
  default_message_notifications: 0,
  mfa_level: 0,
  explicit_content_filter: 0,
  max_presences: null,
  max_members: 500_000,
  max_stage_video_channel_users: 50,
  max_video_channel_users: 25,
  rules_channel_id: null,
  safety_alerts_channel_id: null,
  public_updates_channel_id: null,
  nsfw_level: 0,
  incidents_data: null,
  hub_type: null,
};

/** The guild as GUILD_CREATE describes it. Without the presence intent, its only member in there is the bot itself. */
export function createdGuildJson(state: DiscordState, guild: StoredGuild, largeThreshold: number) {
  const bot = state.member(guild.id, state.bot.id);
  return {
    ...guildJson(guild),
    joined_at: bot.joinedAt.toISOString(),
    large: guild.members.size > largeThreshold,
    unavailable: false,
    member_count: guild.members.size,
    members: [memberJson(state, bot)],
    channels: [channelJson(state, state.channel(guild.channelId))],
    threads: [],
    presences: [],
    voice_states: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}

export function connectionJson({ id, name, type, verified, revoked }: SandboxConnection) {
  const shown = { friend_sync: false, show_activity: false, two_way_link: false, visibility: 0, integrations: [] };
  return { id, name, type, verified, revoked, ...shown };
}

/** A guild in a person's own list (`GET /users/@me/guilds`). */
export function ownGuildJson(guild: StoredGuild, userId: string) {
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    banner: null,
    owner: guild.ownerId === userId,
    permissions: permissionsOf(guild, userId).toString(),
    features: [],
  };
}

export function commandJson(state: DiscordState, command: StoredCommand) {
  return {
    ...command.definition,
    id: command.id,
    application_id: state.application.id,
    version: command.version,
    ...(command.guildId ? { guild_id: command.guildId } : {}),
  };
}

/** The application in public, as in `GET /oauth2/@me`. */
export function publicApplicationJson(state: DiscordState) {
  return {
    id: state.application.id,
    name: state.application.name,
    icon: null,
    description: '',
    type: null,
    bot: userJson(state.bot),
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: '0'.repeat(64),
    flags: state.application.flags,
    flags_new: String(state.application.flags),
  };
}

/** The application as its own bot sees it. */
export function ownApplicationJson(state: DiscordState) {
  return {
    ...publicApplicationJson(state),
    redirect_uris: state.application.redirectUris,
    interactions_endpoint_url: null,
    role_connections_verification_url: state.application.verificationUrl,
    owner: userJson(state.developer),
    approximate_guild_count: state.botGuilds().length,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    explicit_content_filter: 0,
    team: null,
    eligible_oauth2_scopes: ['identify', 'guilds', 'guilds.members.read', 'bot', 'applications.commands'],
  };
}
