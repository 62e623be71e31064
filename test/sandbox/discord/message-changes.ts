import { MessageFlags } from 'discord-api-types/v10';
import { clock } from '../../../src/lib/clock.js';
import type { DiscordState } from './discord-state.js';
import type { Call } from './endpoint.js';
import type { MessageBody } from './message-body.js';
import { numberComponents } from './message-components.js';
import { messageJson } from './message-wire.js';
import type { Attachment, Component, Embed, StoredChannel, StoredMessage } from './sandbox-model.js';

export interface MessageOrigin {
  readonly flags?: number;
  readonly visibleTo?: string | undefined;
  readonly interaction?: StoredMessage['interaction'];
}

/** Flags that a bot may set on a message: SUPPRESS_EMBEDS, EPHEMERAL, SUPPRESS_NOTIFICATIONS, IS_COMPONENTS_V2. */
const settableFlags =
  MessageFlags.SuppressEmbeds |
  MessageFlags.Ephemeral |
  MessageFlags.SuppressNotifications |
  MessageFlags.IsComponentsV2;

/** Writes the bot's message into the channel and notifies the gateway, unless only one person can see it. */
export function createMessage(
  state: DiscordState,
  channel: StoredChannel,
  body: MessageBody,
  files: Call['files'] = [],
  origin: MessageOrigin = {},
): StoredMessage {
  const message: StoredMessage = {
    id: state.ids.next(),
    channelId: channel.id,
    authorId: state.bot.id,
    createdAt: clock.now(),
    editedAt: null,
    content: body.content ?? '',
    embeds: embedsOf(body),
    components: componentsOf(body),
    attachments: attach(state, files),
    flags: ((body.flags ?? 0) & settableFlags) | (origin.flags ?? 0),
    ...(origin.visibleTo === undefined ? {} : { visibleTo: origin.visibleTo }),
    ...(origin.interaction ? { interaction: origin.interaction } : {}),
    nonce: body.nonce ?? undefined,
    allowedMentions: body.allowed_mentions ?? undefined,
    replyTo: body.message_reference?.message_id,
  };
  channel.messages.set(message.id, message);
  tell(state, channel, message, 'MESSAGE_CREATE');
  return message;
}

/** Changes what the body names and leaves the rest. A deferred answer stops "thinking" by it. */
export function editMessage(
  state: DiscordState,
  message: StoredMessage,
  body: MessageBody,
  files: Call['files'] = [],
): StoredMessage {
  if (body.content !== undefined) message.content = body.content ?? '';
  if (body.embeds !== undefined) message.embeds = embedsOf(body);
  if (body.components !== undefined) message.components = componentsOf(body);
  if (body.attachments !== undefined) {
    const kept = new Set((body.attachments ?? []).map(({ id }) => String(id)));
    message.attachments = message.attachments.filter(({ id }) => kept.has(id));
  }
  message.attachments = [...message.attachments, ...attach(state, files)];
  const wasLoading = message.flags & MessageFlags.Loading;
  message.flags = (message.flags | ((body.flags ?? 0) & MessageFlags.IsComponentsV2)) & ~MessageFlags.Loading;
  if (!wasLoading) message.editedAt = clock.now();
  tell(state, state.channel(message.channelId), message, 'MESSAGE_UPDATE');
  return message;
}

export function deleteMessage(state: DiscordState, channel: StoredChannel, message: StoredMessage): void {
  channel.messages.delete(message.id);
  if (message.visibleTo !== undefined) return;
  const where = channel.guildId === undefined ? {} : { guild_id: channel.guildId };
  state.dispatch({
    event: 'MESSAGE_DELETE',
    ...(channel.guildId === undefined ? {} : { guildId: channel.guildId }),
    data: { id: message.id, channel_id: channel.id, ...where },
  });
}

/** Discord marks every embed that a bot sends as `rich`. */
function embedsOf(body: MessageBody): Embed[] {
  return (body.embeds ?? []).map((embed) => ({ ...embed, type: 'rich' }));
}

function componentsOf(body: MessageBody): Component[] {
  return numberComponents(body.components ?? []);
}

function attach(state: DiscordState, files: Call['files']): Attachment[] {
  return files.map((file) => ({ id: state.ids.next(), ...file }));
}

function tell(state: DiscordState, channel: StoredChannel, message: StoredMessage, event: string): void {
  if (message.visibleTo !== undefined) return;
  const { guildId } = channel;
  const where = guildId === undefined ? {} : { guild_id: guildId };
  const data = { ...messageJson(state, message), ...where };
  state.dispatch({ event, ...(guildId === undefined ? {} : { guildId }), data });
}
