import { Events, Listener } from '@sapphire/framework';
import type { GuildMember, PartialGuildMember } from 'discord.js';
import { keepChatUsername } from '../src/features/members/member-service.js';

/** Somebody changed their Discord name: the member list finds them under the new one. */
export class KeepUpdatedMemberName extends Listener<typeof Events.GuildMemberUpdate> {
  constructor(context: Listener.LoaderContext) {
    super(context, { name: 'member-update-names', event: Events.GuildMemberUpdate });
  }

  override run(_before: GuildMember | PartialGuildMember, after: GuildMember) {
    return keepChatUsername(after.guild.id, after.id, after.user.username);
  }
}
