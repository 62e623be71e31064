import { PermissionFlagsBits } from 'discord-api-types/v10';
import { DiscordError } from './discord-error.js';
import type { DiscordState } from './discord-state.js';
import { type Call, type Endpoint, noContent, ok, param } from './endpoint.js';
import { type MessageBody, parseMessage, requireContent } from './message-body.js';
import { createMessage, deleteMessage, editMessage } from './message-changes.js';
import { messageJson } from './message-wire.js';
import { channelOf, requirePermission } from './rest-lookup.js';
import type { StoredChannel, StoredMessage } from './sandbox-model.js';

export function messageRoutes(state: DiscordState): Endpoint[] {
  const bot = { credential: 'bot' } as const;
  const one = '/channels/:channelId/messages/:messageId';
  return [
    { endpoint: 'POST /channels/:channelId/messages', ...bot, handle: (call) => postMessage(state, call) },
    {
      endpoint: `GET ${one}`,
      ...bot,
      handle: (call) => ok(messageJson(state, messageOf(channelOf(state, call), call))),
    },
    { endpoint: `PATCH ${one}`, ...bot, handle: (call) => patchMessage(state, call) },
    { endpoint: `DELETE ${one}`, ...bot, handle: (call) => removeMessage(state, call) },
  ];
}

function postMessage(state: DiscordState, call: Call) {
  const channel = channelOf(state, call);
  requireWritable(state, channel);
  const body = parseMessage(call.body);
  requireContent(body, call.files.length);
  if (body.message_reference && !channel.messages.has(body.message_reference.message_id)) {
    throw new DiscordError('unknownMessage');
  }
  return ok(messageJson(state, sentBefore(channel, body) ?? createMessage(state, channel, body, call.files)));
}

function patchMessage(state: DiscordState, call: Call) {
  const message = messageOf(channelOf(state, call), call);
  if (message.authorId !== state.bot.id) throw new DiscordError('notAuthor');
  return ok(messageJson(state, editMessage(state, message, parseMessage(call.body, message.flags), call.files)));
}

function removeMessage(state: DiscordState, call: Call) {
  const channel = channelOf(state, call);
  deleteMessage(state, channel, messageOf(channel, call));
  return noContent;
}

/** An ephemeral message can only be reached through its interaction. */
function messageOf(channel: StoredChannel, call: Call): StoredMessage {
  const message = channel.messages.get(param(call, 'messageId'));
  if (!message || message.visibleTo !== undefined) throw new DiscordError('unknownMessage');
  return message;
}

/** Send Messages in a guild; a direct message needs an open ear and a guild in common. */
function requireWritable(state: DiscordState, channel: StoredChannel): void {
  if (channel.recipientId !== undefined) {
    if (!state.sharesGuildWithBot(channel.recipientId)) throw new DiscordError('noMutualGuild');
    if (state.closedToMessages.has(channel.recipientId)) throw new DiscordError('cannotMessageUser');
  }
  if (channel.guildId !== undefined) {
    requirePermission(state, state.guild(channel.guildId), PermissionFlagsBits.SendMessages);
  }
}

/** With `enforce_nonce`, the message that was already sent with the same nonce. */
function sentBefore(channel: StoredChannel, body: MessageBody): StoredMessage | undefined {
  if (!body.enforce_nonce || body.nonce == null) return undefined;
  return [...channel.messages.values()].findLast(({ nonce }) => nonce === body.nonce);
}
