import { Events } from '@sapphire/framework';
import { noteMemberCount } from '../src/core/guilds/member-counts.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { memberFromGateway } from '../src/platforms/discord/guild-members.js';
import { noteReported } from '../src/platforms/discord/seen-members.js';

/** A member or bot joined: Discord counts both as members, and pages that missed them show them. */
export const CountAddedMember = onEvent(Events.GuildMemberAdd, (member) => {
  noteMemberCount(member.guild.id, member.guild.memberCount);
  if (!member.user.bot) noteReported(member.guild.id, member.id, memberFromGateway(member));
});
