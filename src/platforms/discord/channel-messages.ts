import { randomUUID } from 'node:crypto';
import { MessageFlags, type RESTPostAPIChannelMessageJSONBody, Routes } from 'discord.js';
import { withoutUnseen } from '../../lib/unseen.js';
import { messageAnswer } from './discord-answers.js';
import { callDiscord, DiscordForbids, GoneFromDiscord, readDiscord } from './rest/discord-call.js';

/** Discord's limit of a message's content, in characters. */
export const longestMessage = 2000;

/** A limit of Discord's. */
const longestNonce = 25;

/** What a message is made of. */
export type ChannelMessage = RESTPostAPIChannelMessageJSONBody;

/**
 * Posts a message into a channel, in the lane of the running code; of those whom it mentions only `pinged` are pinged, and
 * usually nobody. One that is sent again, since its answer was lost, is posted once: Discord knows it by its nonce, of
 * which the first 25 characters count. Gives its id. Throws GoneFromDiscord, DiscordForbids, ChatPlatformUnavailable.
 */
export async function postMessage(channelId: string, message: ChannelMessage, pinged?: string): Promise<string> {
  const nonce = String(message.nonce ?? randomUUID()).slice(0, longestNonce);
  const known = { ...message, nonce, enforce_nonce: true };
  const body = { ...known, allowed_mentions: { parse: [], ...(pinged !== undefined && { users: [pinged] }) } };
  const { id } = await readDiscord(messageAnswer, (rest) => rest.post(Routes.channelMessages(channelId), { body }));
  return id;
}

/**
 * Whether a message is still there, as far as the bot may see: one that it may not read is taken for there. Throws
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

/** Posts text quietly: without link previews and without a notification sound. */
export async function postQuietly(channelId: string, content: string): Promise<void> {
  const flags = MessageFlags.SuppressEmbeds | MessageFlags.SuppressNotifications;
  await postMessage(channelId, { content, flags });
}

/** What Discord reads as Markdown, a mention, a link (`https://…`) or an invitation (`discord.gg/…`). */
const marks = /[\\`*_~|[\]<>@#]|:(?=\/)|(?<=\w)\//g;
/** Text from people as Discord shows it where it reads no Markdown: on one line, with nothing in it that is not seen. */
export const onOneLine = (text: string): string => withoutUnseen(text.replaceAll(/\s+/gu, ' '));

/** Markdown from people whose links show where they lead: `[Roblox](https://…)` stands there as it was written. */
export const withShownLinks = (markdown: string): string => withoutUnseen(markdown).replaceAll(/\](?=\()/g, '] ');

/** Escapes text from people so that it shows as it is, on one line: no links, mentions or bold letters (DISC-3). */
export const verbatim = (text: string): string => onOneLine(text).replaceAll(marks, '\\$&');
