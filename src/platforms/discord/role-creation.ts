import { DiscordAPIError, RESTJSONErrorCodes, Routes } from 'discord.js';
import { createdRoleAnswer } from './discord-answers.js';
import { readDiscord } from './rest/discord-call.js';

/** Discord's role limit in a server, with @everyone. */
export const mostRoles = 250;
/** Discord's limit for a role's name, in characters. */
const longestRoleName = 100;

export interface NewRole {
  name: string;
  /** 0xRRGGBB */
  color: number;
}

/**
 * Creates a role without permissions, below all others, and returns its id; null if the server has no room for it.
 * `reason` goes into the server's audit log. Throws DiscordForbids, ChatPlatformUnavailable.
 */
export async function createRole(guildId: string, { name, color }: NewRole, reason: string): Promise<string | null> {
  // Without the field `permissions`, a new role gets @everyone's.
  const body = { name: name.slice(0, longestRoleName), color, permissions: 0 };
  try {
    const path = Routes.guildRoles(guildId);
    return (await readDiscord(createdRoleAnswer, (rest) => rest.post(path, { body, reason }))).id;
  } catch (error) {
    if (error instanceof DiscordAPIError && error.code === RESTJSONErrorCodes.MaximumNumberOfGuildRolesReached) {
      return null;
    }
    throw error;
  }
}
