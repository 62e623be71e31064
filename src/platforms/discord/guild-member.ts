/** A person as Discord describes them. `avatar`: their picture's hash, null for none, absent if unknown. */
export interface DiscordPerson {
  chatUserId: string;
  username: string;
  avatar?: string | null;
  /** Whether they have not yet accepted the guild's rules; absent if unknown. */
  pending?: boolean;
  /** A guest in a voice channel, who is in the server for that call only. */
  isGuest?: true;
}

/** A person in a guild, as Discord currently describes them. `roleIds` excludes @everyone. */
export interface GuildMember extends DiscordPerson {
  nickname: string | null;
  roleIds: string[];
  /** The other profile texts that can make Discord reject a nickname: display name and tag, if any. */
  profile?: string;
}
