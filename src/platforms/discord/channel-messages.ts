import { MessageFlags, type RESTPostAPIChannelMessageJSONBody, Routes } from 'discord.js';
import { withoutUnseen } from '../../lib/unseen.js';
import { callDiscord } from './discord-call.js';

/** Discord's limit of a message's content, in characters. */
export const longestMessage = 2000;

/**
 * Posts a message into a channel, in the lane of the running code; of those whom it mentions only `pinged` are pinged, and
 * usually nobody. Throws GoneFromDiscord, DiscordForbids, ChatPlatformUnavailable.
 */
export async function postMessage(
  channelId: string,
  message: RESTPostAPIChannelMessageJSONBody,
  pinged?: string,
): Promise<void> {
  const body = { ...message, allowed_mentions: { parse: [], ...(pinged !== undefined && { users: [pinged] }) } };
  await callDiscord((rest) => rest.post(Routes.channelMessages(channelId), { body }));
}

/** Posts text quietly: without link previews and without a notification sound. */
export function postQuietly(channelId: string, content: string): Promise<void> {
  const flags = MessageFlags.SuppressEmbeds | MessageFlags.SuppressNotifications;
  return postMessage(channelId, { content, flags });
}

/** What Discord reads as Markdown, a mention, a link (`https://…`) or an invitation (`discord.gg/…`). */
const marks = /[\\`*_~|[\]<>@#]|:(?=\/)|(?<=\w)\//g;
/** Text from people as Discord shows it where it reads no Markdown: on one line, with nothing in it that is not seen. */
export const onOneLine = (text: string): string => withoutUnseen(text.replaceAll(/\s+/gu, ' '));

/** Escapes text from people so that it shows as it is, on one line: no links, mentions or bold letters (SPEC §8). */
export const verbatim = (text: string): string => onOneLine(text).replaceAll(marks, '\\$&');
