import { escapeMarkdown, MessageFlags, type RESTPostAPIChannelMessageJSONBody, Routes } from 'discord.js';
import { callDiscord } from './discord-call.js';

/** Discord's limit of a message's content, in characters. */
export const longestMessage = 2000;

/**
 * Posts a message into a channel, by the lane of the running code; nobody who is named in it is pinged. Throws
 * GoneFromDiscord, DiscordForbids, ChatPlatformUnavailable.
 */
export async function postMessage(channelId: string, message: RESTPostAPIChannelMessageJSONBody): Promise<void> {
  const body = { ...message, allowed_mentions: { parse: [] } };
  await callDiscord((rest) => rest.post(Routes.channelMessages(channelId), { body }));
}

/** Posts text for whoever reads along: without previews of links, and without a sound on anybody's phone. */
export function postQuietly(channelId: string, content: string): Promise<void> {
  const flags = MessageFlags.SuppressEmbeds | MessageFlags.SuppressNotifications;
  return postMessage(channelId, { content, flags });
}

/** Text as it is, on one line, whatever Markdown would make of it: no links, mentions or letters in bold. */
export const verbatim = (text: string): string =>
  escapeMarkdown(text.replaceAll(/\s+/gu, ' ')).replaceAll(/[[\]<]/g, '\\$&');
