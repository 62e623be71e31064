import type { Guild } from 'discord.js';
import { guildIconUrl } from './signed-in-user.js';

export interface GuildProfile {
  _id: string;
  name: string;
  iconUrl: string | null;
  ownerId: string;
  memberCount: number;
}

/** A guild's stored fields, from a gateway event. */
export function profileOfGuild({ id, name, icon, ownerId, memberCount }: Guild): GuildProfile {
  return { _id: id, name, iconUrl: guildIconUrl(id, icon), ownerId, memberCount };
}
