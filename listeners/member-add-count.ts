import { Events } from '@sapphire/framework';
import { noteMemberCount } from '../src/core/guilds/member-counts.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** A member or bot joined: Discord counts both as members. */
export const CountAddedMember = onEvent(Events.GuildMemberAdd, ({ guild }) =>
  noteMemberCount(guild.id, guild.memberCount),
);
