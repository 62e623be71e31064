import { RESTJSONErrorCodes, Routes } from 'discord.js';
import { userAnswer } from './discord-answers.js';
import { readDiscordOrNull } from './rest/discord-call.js';

/** A Discord account, in a server with the bot or not. */
export interface ChatUser {
  chatUserId: string;
  username: string;
  /** Belongs to an application or to Discord itself, so no person signs in with it. */
  bot: boolean;
}

/** Reads the account with this id; null if there is none. Throws ChatPlatformUnavailable. */
export async function readChatUser(chatUserId: string): Promise<ChatUser | null> {
  const user = await readDiscordOrNull(userAnswer, RESTJSONErrorCodes.UnknownUser, (rest) =>
    rest.get(Routes.user(chatUserId)),
  );
  if (user === null) return null;
  return { chatUserId: user.id, username: user.username, bot: user.bot === true || user.system === true };
}
