import { Events } from '@sapphire/framework';
import { findPresentGuild } from '../src/core/guilds/guild-service.js';
import { memberJoined } from '../src/features/members/member-service.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** Somebody joined a server: a verified person has their roles without doing anything. */
export const JoinAddedMember = onEvent(Events.GuildMemberAdd, async (member) => {
  const guild = await findPresentGuild(member.guild.id);
  if (guild === null || guild.state === 'suspended' || member.user.bot) return;
  await memberJoined(guild, { chatUserId: member.id, username: member.user.username });
});
