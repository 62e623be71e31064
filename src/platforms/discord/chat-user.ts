import { type APIUser, Routes } from 'discord.js';
import { callDiscordOrNull } from './discord-call.js';

/** Somebody with a Discord account, whether or not they are in a server with the bot. */
export interface ChatUser {
  chatUserId: string;
  username: string;
  /** Belongs to an application or to Discord itself: nobody signs in with it. */
  bot: boolean;
}

/** Asks Discord who has this id; null when nobody has. Throws ChatPlatformUnavailable. */
export async function readChatUser(chatUserId: string): Promise<ChatUser | null> {
  const user = await callDiscordOrNull<APIUser>((rest) => rest.get(Routes.user(chatUserId)));
  if (user === null) return null;
  return { chatUserId: user.id, username: user.username, bot: user.bot === true || user.system === true };
}
