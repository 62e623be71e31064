import type { DiscordState } from './discord-state.js';
import type { InteractionRecord } from './interaction-record.js';
import { integrationOwners, messageJson } from './message-wire.js';
import { permissionsOf } from './permissions.js';
import type { StoredGuild } from './sandbox-model.js';
import { channelJson, locale, memberJson, partialMemberJson, roleJson, userJson } from './wire.js';

/** Where an interaction happens: in a guild, or in the direct message with the bot. */
const guildContext = 0;
const botMessageContext = 1;

export function interactionJson(state: DiscordState, record: InteractionRecord) {
  const { type, userId, guildId, channelId, data, message } = record.input;
  const guild = guildId === undefined ? undefined : state.guild(guildId);
  return {
    id: record.id,
    application_id: state.application.id,
    type,
    token: record.token,
    version: 1,
    channel_id: channelId,
    channel: channelJson(state, state.channel(channelId)),
    locale: state.clientLocales.get(userId) ?? locale,
    entitlements: [],
    authorizing_integration_owners: integrationOwners(guildId),
    context: guild ? guildContext : botMessageContext,
    attachment_size_limit: 10 * 1024 * 1024,
    app_permissions: guild ? permissionsOf(guild, state.bot.id).toString() : '0',
    data,
    ...(guild ? inGuildJson(state, guild, userId) : { user: userJson(state.user(userId)) }),
    ...(message ? { message: messageJson(state, message) } : {}),
  };
}

/** The `resolved` part: what the ids among the options or values name. A bare id map per kind. */
export function resolvedJson(
  state: DiscordState,
  guild: StoredGuild,
  ids: {
    users: readonly string[];
    roles: readonly string[];
    channels: readonly string[];
    uploads?: readonly string[];
  },
) {
  const members = ids.users.flatMap((id) => guild.members.get(id) ?? []);
  return {
    ...keyed('users', ids.users, (id) => userJson(state.user(id))),
    ...keyed(
      'members',
      members.map(({ userId }) => userId),
      (id) => {
        const member = partialMemberJson(state.member(guild.id, id));
        return { ...member, permissions: permissionsOf(guild, id).toString() };
      },
    ),
    ...keyed('roles', ids.roles, (id) => roleJson(state.role(guild.id, id))),
    ...keyed('channels', ids.channels, (id) => ({
      ...channelJson(state, state.channel(id)),
      permissions: permissionsOf(guild, state.bot.id).toString(),
    })),
    ...keyed('attachments', ids.uploads ?? [], (id) => uploadJson(state, id)),
  };
}

function uploadJson(state: DiscordState, uploadId: string) {
  const upload = state.uploads.get(uploadId);
  if (upload === undefined) throw new Error(`Nobody has uploaded the file ${uploadId}.`);
  const { id, filename, content, url } = upload;
  return { id, filename, size: content.length, url, proxy_url: url, ephemeral: true };
}

function inGuildJson(state: DiscordState, guild: StoredGuild, userId: string) {
  const member = state.member(guild.id, userId);
  return {
    guild_id: guild.id,
    guild: { id: guild.id, locale, features: [] },
    guild_locale: locale,
    member: { ...memberJson(state, member), permissions: permissionsOf(guild, userId).toString() },
  };
}

function keyed<T>(kind: string, ids: readonly string[], view: (id: string) => T): Record<string, Record<string, T>> {
  if (ids.length === 0) return {};
  return { [kind]: Object.fromEntries(ids.map((id) => [id, view(id)])) };
}
