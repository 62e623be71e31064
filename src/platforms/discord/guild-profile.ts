import type { Guild } from 'discord.js';
import { guildIconUrl } from './signed-in-user.js';

/** What Discord says of a guild. */
export interface GuildProfile {
  _id: string;
  name: string;
  iconUrl: string | null;
  ownerId: string;
  memberCount: number;
}

/** What we keep of a guild, from what the gateway tells. */
export function profileOfGuild({ id, name, icon, ownerId, memberCount }: Guild): GuildProfile {
  return { _id: id, name, iconUrl: guildIconUrl(id, icon), ownerId, memberCount };
}
