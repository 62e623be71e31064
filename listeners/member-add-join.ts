import { Events, Listener } from '@sapphire/framework';
import type { GuildMember } from 'discord.js';
import { findPresentGuild } from '../src/core/guilds/guild-service.js';
import { memberJoined } from '../src/features/members/member-service.js';

/** Somebody joined a server: a verified person has their roles without doing anything. */
export class JoinAddedMember extends Listener<typeof Events.GuildMemberAdd> {
  constructor(context: Listener.LoaderContext) {
    super(context, { name: 'member-add-join', event: Events.GuildMemberAdd });
  }

  override async run(member: GuildMember) {
    const guild = await findPresentGuild(member.guild.id);
    if (guild === null || guild.state === 'suspended' || member.user.bot) return;
    await memberJoined(guild, { chatUserId: member.id, username: member.user.username });
  }
}
