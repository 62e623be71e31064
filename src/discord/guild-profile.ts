import type { Guild } from 'discord.js';
import type { GuildProfile } from '../guilds/guild-service.js';
import { guildIconUrl } from './signed-in-user.js';

/** What we keep of a guild, from what the gateway tells. */
export function profileOfGuild({ id, name, icon, ownerId, memberCount }: Guild): GuildProfile {
  return { _id: id, name, iconUrl: guildIconUrl(id, icon), ownerId, memberCount };
}
