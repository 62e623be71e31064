import { ButtonStyle, ComponentType, MessageFlags, type RESTPostAPIChannelMessageJSONBody, Routes } from 'discord.js';
import { AppError, ChatPlatformUnavailable } from '../../lib/errors.js';
import { logger } from '../../lib/logger.js';
import { postMessage } from './channel-messages.js';
import { directChannelAnswer } from './discord-answers.js';
import { callDiscord, GoneFromDiscord, readDiscord } from './rest/discord-call.js';

/** A button under a direct message. Its custom id is served by a piece of that name. */
export interface MessageButton {
  customId: string;
  label: string;
  isDanger?: boolean;
}

/** What a direct message may have beside its words. */
interface Extras {
  buttons?: readonly MessageButton[];
  /** A small picture beside the words. */
  imageUrl?: string | null;
  /** By which Discord knows a message that is sent again after a restart: of a longer one the first 25 characters. */
  nonce?: string;
}

/**
 * Sends a person a direct message, in Markdown and at most 2,000 characters. Returns whether it arrived: it doesn't
 * when the person accepts none from the bot, shares no server with it, or Discord doesn't answer. None of that is
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
 * The same for a message that must not be lost. Returns whether it arrived; throws ChatPlatformUnavailable when Discord
 * did not say, so that it can be tried again.
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

/** A direct message that was sent. */
export interface DirectMessage {
  channelId: string;
  messageId: string;
}

/** The same where nothing is forgiven. Throws GoneFromDiscord, DiscordForbids, ChatPlatformUnavailable. */
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
 * Puts other words into a direct message, which tells its reader nothing of that. False when it is gone. Throws
 * DiscordForbids, ChatPlatformUnavailable.
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

/** Without a picture of ours nothing is embedded: no link is shown with a preview. */
function partsOf({
  buttons = [],
  imageUrl,
}: Extras): Pick<RESTPostAPIChannelMessageJSONBody, 'components' | 'embeds' | 'flags'> {
  const row = buttons.map(({ customId, label, isDanger = false }) => ({
    type: ComponentType.Button as const,
    style: isDanger ? (ButtonStyle.Danger as const) : (ButtonStyle.Primary as const),
    custom_id: customId,
    label,
  }));
  return {
    ...(row.length > 0 && { components: [{ type: ComponentType.ActionRow, components: row }] }),
    ...(imageUrl == null ? { flags: MessageFlags.SuppressEmbeds } : { embeds: [{ image: { url: imageUrl } }] }),
  };
}
