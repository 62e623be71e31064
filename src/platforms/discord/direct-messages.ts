import {
  type APIButtonComponent,
  ButtonStyle,
  ComponentType,
  MessageFlags,
  type RESTPostAPIChannelMessageJSONBody,
  Routes,
} from 'discord.js';
import { AppError, ChatPlatformUnavailable } from '../../lib/errors.js';
import { logger } from '../../lib/logger.js';
import { postMessage } from './channel-messages.js';
import { directChannelAnswer } from './discord-answers.js';
import { callDiscord, GoneFromDiscord, readDiscord } from './rest/discord-call.js';

/** A button in a direct message. The piece named in its custom id handles it. */
export interface MessageButton {
  customId: string;
  label: string;
  isDanger?: boolean;
}

interface MessageLink {
  url: string;
  label: string;
}

interface Extras {
  buttons?: readonly (MessageButton | MessageLink)[];
  imageUrl?: string | null;
  /** Identifies a message resent after a restart; Discord compares the first 25 characters. */
  nonce?: string;
}

/**
 * Sends a person a direct message in Markdown, at most 2,000 characters. Returns whether it arrived. It fails if the
 * person blocks the bot's messages or shares no server with it, or if Discord doesn't answer. These errors are not
 * thrown.
 */
export async function sendDirectMessage(chatUserId: string, content: string, extras: Extras = {}): Promise<boolean> {
  try {
    return await deliverDirectMessage(chatUserId, content, extras);
  } catch (error) {
    logger[error instanceof AppError ? 'info' : 'warn']({ err: error, chatUserId }, 'direct message not delivered');
    return false;
  }
}

/**
 * Sends a direct message that must not be lost. Returns whether it arrived; throws ChatPlatformUnavailable if the
 * outcome is unknown, so that it can be retried.
 */
export async function deliverDirectMessage(chatUserId: string, content: string, extras: Extras = {}): Promise<boolean> {
  try {
    await postDirectMessage(chatUserId, content, extras);
    return true;
  } catch (error) {
    if (error instanceof ChatPlatformUnavailable) throw error;
    logger[error instanceof AppError ? 'info' : 'warn']({ err: error, chatUserId }, 'direct message not delivered');
    return false;
  }
}

export interface DirectMessage {
  channelId: string;
  messageId: string;
}

/** Sends a direct message and throws every failure: GoneFromDiscord, DiscordForbids, ChatPlatformUnavailable. */
export async function postDirectMessage(
  chatUserId: string,
  content: string,
  extras: Extras = {},
): Promise<DirectMessage> {
  const { nonce } = extras;
  const recipient = { recipient_id: chatUserId };
  const { id: channelId } = await readDiscord(directChannelAnswer, (rest) =>
    rest.post(Routes.userChannels(), { body: recipient }),
  );
  const message = { content, ...partsOf(extras), ...(nonce !== undefined && { nonce }) };
  return { channelId, messageId: await postMessage(channelId, message) };
}

/**
 * Edits a direct message, without a notification. False if it is gone. Throws DiscordForbids, ChatPlatformUnavailable.
 */
export async function editDirectMessage(
  { channelId, messageId }: DirectMessage,
  content: string,
  extras: Extras = {},
): Promise<boolean> {
  try {
    const body = { components: [], embeds: [], content, ...partsOf(extras), allowed_mentions: { parse: [] } };
    await callDiscord((rest) => rest.patch(Routes.channelMessage(channelId, messageId), { body }));
    return true;
  } catch (error) {
    if (error instanceof GoneFromDiscord) return false;
    throw error;
  }
}

function componentOf(button: MessageButton | MessageLink): APIButtonComponent {
  const type = ComponentType.Button;
  if ('url' in button) return { type, style: ButtonStyle.Link, ...button };
  const { customId, label, isDanger = false } = button;
  return { type, style: isDanger ? ButtonStyle.Danger : ButtonStyle.Primary, custom_id: customId, label };
}

/** Without our own picture nothing is embedded: links show no preview. */
function partsOf({
  buttons = [],
  imageUrl,
}: Extras): Pick<RESTPostAPIChannelMessageJSONBody, 'components' | 'embeds' | 'flags'> {
  const row = buttons.map(componentOf);
  return {
    ...(row.length > 0 && { components: [{ type: ComponentType.ActionRow, components: row }] }),
    ...(imageUrl == null ? { flags: MessageFlags.SuppressEmbeds } : { embeds: [{ image: { url: imageUrl } }] }),
  };
}
