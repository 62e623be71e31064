import { InteractionResponseType as Callback, MessageFlags } from 'discord-api-types/v10';
import { DiscordError } from './discord-error.js';
import type { DiscordState } from './discord-state.js';
import { type Call, type Endpoint, noContent, ok, param } from './endpoint.js';
import { answer, applyCallback } from './interaction-callbacks.js';
import type { InteractionDesk } from './interaction-desk.js';
import type { InteractionRecord } from './interaction-record.js';
import { parseMessage } from './message-body.js';
import { deleteMessage, editMessage } from './message-changes.js';
import { messageJson } from './message-wire.js';
import type { StoredMessage } from './sandbox-model.js';

/** Answers to interactions. The token in the path is the credential, and the global rate limit leaves them out. */
export function interactionRoutes(state: DiscordState, desk: InteractionDesk): Endpoint[] {
  const open = { credential: 'none' } as const;
  const webhook = '/webhooks/:applicationId/:token';
  const one = `${webhook}/messages/:messageId`;
  return [
    {
      endpoint: 'POST /interactions/:interactionId/:token/callback',
      ...open,
      handle: (call) => firstAnswer(state, desk, call),
    },
    { endpoint: `POST ${webhook}`, ...open, handle: (call) => followUp(state, recordOf(state, desk, call), call) },
    {
      endpoint: `GET ${one}`,
      ...open,
      handle: (call) => ok(messageJson(state, messageOf(state, recordOf(state, desk, call), call))),
    },
    { endpoint: `PATCH ${one}`, ...open, handle: (call) => editAnswer(state, recordOf(state, desk, call), call) },
    { endpoint: `DELETE ${one}`, ...open, handle: (call) => deleteAnswer(state, recordOf(state, desk, call), call) },
  ];
}

/** Throws 10062 when it is unknown or later than three seconds, 40060 when it has been answered. */
function firstAnswer(state: DiscordState, desk: InteractionDesk, call: Call) {
  const record = desk.find(param(call, 'interactionId'));
  if (!record || record.token !== call.params.token || record.phase === 'lost') {
    throw new DiscordError('unknownInteraction');
  }
  if (record.phase === 'answered') throw new DiscordError('alreadyAcknowledged');
  const type = applyCallback(state, record, call);
  return call.query.get('with_response') === 'true' ? ok(callbackJson(state, record, type)) : noContent;
}

function callbackJson(state: DiscordState, record: InteractionRecord, type: Callback) {
  const { original, input } = record;
  const showsMessage = type === Callback.ChannelMessageWithSource || type === Callback.UpdateMessage;
  return {
    interaction: {
      id: record.id,
      type: input.type,
      channel_id: input.channelId,
      ...(input.guildId === undefined ? {} : { guild_id: input.guildId }),
      ...(original ? responseJson(original) : {}),
    },
    ...(showsMessage && original ? { resource: { type, message: messageJson(state, original) } } : {}),
  };
}

function responseJson(message: StoredMessage) {
  return {
    response_message_id: message.id,
    response_message_loading: (message.flags & MessageFlags.Loading) !== 0,
    response_message_ephemeral: message.visibleTo !== undefined,
  };
}

/** A later message. After a deferred answer the first one fills that in, and takes over whether it is ephemeral. */
function followUp(state: DiscordState, record: InteractionRecord, call: Call) {
  const { original } = record;
  if (original && original.flags & MessageFlags.Loading) {
    const message = editMessage(state, original, parseMessage(call.body), call.files);
    record.show(message);
    return ok(messageJson(state, message));
  }
  const message = answer(state, record, call.body, call.files);
  record.show(message);
  return ok(messageJson(state, message));
}

function editAnswer(state: DiscordState, record: InteractionRecord, call: Call) {
  const message = messageOf(state, record, call);
  editMessage(state, message, parseMessage(call.body, message.flags), call.files);
  record.show(message);
  return ok(messageJson(state, message));
}

function deleteAnswer(state: DiscordState, record: InteractionRecord, call: Call) {
  const message = messageOf(state, record, call);
  deleteMessage(state, state.channel(message.channelId), message);
  record.hide(message);
  return noContent;
}

/** Throws 10015 when there is no such token or no answer yet, 50027 when its 15 minutes are over. */
function recordOf(state: DiscordState, desk: InteractionDesk, call: Call): InteractionRecord {
  const record = desk.findByToken(param(call, 'token'));
  if (!record || param(call, 'applicationId') !== state.application.id) throw new DiscordError('unknownWebhook');
  if (record.expired) throw new DiscordError('invalidWebhookToken');
  if (record.phase !== 'answered') throw new DiscordError('unknownWebhook');
  return record;
}

function messageOf(state: DiscordState, record: InteractionRecord, call: Call): StoredMessage {
  const id = call.params.messageId === '@original' ? record.original?.id : call.params.messageId;
  const own = [record.original, ...record.followUps].find((message) => message?.id === id);
  if (!own || !state.channel(own.channelId).messages.has(own.id)) throw new DiscordError('unknownMessage');
  return own;
}
