import { randomUUID } from 'node:crypto';
import { MessageFlags, type RESTPostAPIChannelMessageJSONBody, Routes } from 'discord.js';
import { stripInvisible } from '../../lib/invisible.js';
import { currentLane } from '../../lib/lane.js';
import { messageAnswer } from './discord-answers.js';
import { callDiscord, DiscordForbids, GoneFromDiscord, readDiscord } from './rest/discord-call.js';

/** Discord's limit for message content, in characters. */
export const longestMessage = 2000;

/** Discord's limit, in characters. */
const longestNonce = 25;

export type ChannelMessage = RESTPostAPIChannelMessageJSONBody;

/**
 * Posts a message to a channel, in the running code's lane. Only mentioned people in `pinged` are notified, usually
 * none. A message resent after a lost answer is posted once: Discord recognises its nonce by the first 25 characters.
 * Returns its id. Throws GoneFromDiscord, DiscordForbids, ChatPlatformUnavailable.
 */
export async function postMessage(channelId: string, message: ChannelMessage, pinged?: string): Promise<string> {
  const nonce = String(message.nonce ?? randomUUID()).slice(0, longestNonce);
  const known = { ...message, nonce, enforce_nonce: true };
  const body = { ...known, allowed_mentions: { parse: [], ...(pinged !== undefined && { users: [pinged] }) } };
  const { signal } = currentLane();
  const request = { body, ...(signal !== undefined && { signal }) };
  const { id } = await readDiscord(messageAnswer, (rest) => rest.post(Routes.channelMessages(channelId), request));
  return id;
}

/**
 * Whether a message still exists, as far as the bot can see. A message it may not read counts as existing. Throws
 * ChatPlatformUnavailable.
 */
export async function isMessageThere(channelId: string, messageId: string): Promise<boolean> {
  try {
    await callDiscord((rest) => rest.get(Routes.channelMessage(channelId, messageId)));
    return true;
  } catch (error) {
    if (error instanceof GoneFromDiscord) return false;
    if (error instanceof DiscordForbids) return true;
    throw error;
  }
}

/** Posts text without link previews or notification sound. */
export async function postQuietly(channelId: string, content: string): Promise<void> {
  const flags = MessageFlags.SuppressEmbeds | MessageFlags.SuppressNotifications;
  await postMessage(channelId, { content, flags });
}

/** Characters that Discord reads as Markdown, a mention, a link (`https://…`) or an invitation (`discord.gg/…`). */
const marks = /[\\`*_~|[\]<>@#]|:(?=\/)|(?<=\w)\//g;
/** User text for places without Markdown: on one line, without invisible characters. */
export const onOneLine = (text: string): string => stripInvisible(text.replaceAll(/\s+/gu, ' '));

/** User Markdown with visible link targets: `[Roblox](https://…)` is shown as written. */
export const withShownLinks = (markdown: string): string => stripInvisible(markdown).replaceAll(/\](?=\()/g, '] ');

/** Escapes user text so that it shows literally on one line, without links, mentions or formatting (DISC-3). */
export const verbatim = (text: string): string => onOneLine(text).replaceAll(marks, '\\$&');
