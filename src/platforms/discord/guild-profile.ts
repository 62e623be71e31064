import type { Guild } from 'discord.js';
import { guildIconUrl } from './signed-in-user.js';

/** What Discord says about a guild. */
export interface GuildProfile {
  _id: string;
  name: string;
  iconUrl: string | null;
  ownerId: string;
  memberCount: number;
}

/** The fields of a guild that we keep, from the gateway's event. */
export function profileOfGuild({ id, name, icon, ownerId, memberCount }: Guild): GuildProfile {
  return { _id: id, name, iconUrl: guildIconUrl(id, icon), ownerId, memberCount };
}
