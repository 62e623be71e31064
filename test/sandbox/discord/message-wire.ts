import type { DiscordState } from './discord-state.js';
import type { Attachment, InteractionOrigin, SandboxUser, StoredMessage } from './sandbox-model.js';
import { userJson } from './wire.js';

/** Message types: a plain one, a reply to another message, the answer to a slash command. */
const plain = 0;
const reply = 19;
const commandAnswer = 20;

/** The interaction types that `interaction_metadata` distinguishes. */
const commandInteraction = 2;
const componentInteraction = 3;

export function messageJson(state: DiscordState, message: StoredMessage) {
  return {
    id: message.id,
    type: typeOf(message),
    channel_id: message.channelId,
    author: userJson(state.user(message.authorId)),
    content: message.content,
    timestamp: message.createdAt.toISOString(),
    edited_timestamp: message.editedAt?.toISOString() ?? null,
    tts: false,
    mention_everyone: false,
    mentions: mentionedUsers(state, message.content).map(userJson),
    mention_roles: [],
    attachments: message.attachments.map(({ text, ...file }) => ({
      ...file,
      url: fileUrl(message, file),
      proxy_url: fileUrl(message, file),
    })),
    embeds: message.embeds,
    components: message.components,
    pinned: false,
    flags: message.flags,
    ...(message.nonce === undefined ? {} : { nonce: message.nonce }),
    ...(message.interaction ? interactionJson(state, message) : {}),
    ...(message.replyTo === undefined
      ? {}
      : { message_reference: { type: 0, channel_id: message.channelId, message_id: message.replyTo } }),
  };
}

function typeOf(message: StoredMessage): number {
  if (message.interaction?.type === commandInteraction) return commandAnswer;
  return message.replyTo === undefined ? plain : reply;
}

/** An answer names the interaction it answers, and is sent by the application's webhook. */
function interactionJson(state: DiscordState, message: StoredMessage) {
  const { application } = state;
  if (!message.interaction) return {};
  const { userId, ...origin } = message.interaction;
  const { guildId } = state.channel(message.channelId);
  return {
    application_id: application.id,
    webhook_id: application.id,
    interaction_metadata: originJson(origin, {
      user: userJson(state.user(userId)),
      authorizing_integration_owners: integrationOwners(guildId),
    }),
  };
}

function originJson({ id, type, messageId, openedBy }: InteractionOrigin, common: Record<string, unknown>): object {
  return {
    id,
    type,
    ...common,
    ...(type === componentInteraction ? { interacted_message_id: messageId } : {}),
    ...(openedBy ? { triggering_interaction_metadata: originJson(openedBy, common) } : {}),
  };
}

/** The application is installed in the guild (key 0); the direct message with its bot counts as guild 0. */
export function integrationOwners(guildId: string | undefined): Record<string, string> {
  return { 0: guildId ?? '0' };
}

function mentionedUsers(state: DiscordState, content: string): SandboxUser[] {
  const ids = [...content.matchAll(/<@!?(\d+)>/g)].map(([, id]) => id ?? '');
  return [...new Set(ids)].flatMap((id) => state.users.get(id) ?? []);
}

function fileUrl(message: StoredMessage, file: Pick<Attachment, 'id' | 'filename'>): string {
  return `https://cdn.discordapp.com/attachments/${message.channelId}/${file.id}/${encodeURIComponent(file.filename)}`;
}
