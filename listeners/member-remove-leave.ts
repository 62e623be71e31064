import { Events, Listener } from '@sapphire/framework';
import type { GuildMember, PartialGuildMember } from 'discord.js';
import { markAbsent } from '../src/features/members/member-service.js';

/** Somebody left a server; their link stays for their return. */
export class LeaveRemovedMember extends Listener<typeof Events.GuildMemberRemove> {
  constructor(context: Listener.LoaderContext) {
    super(context, { name: 'member-remove-leave', event: Events.GuildMemberRemove });
  }

  override run(member: GuildMember | PartialGuildMember) {
    return markAbsent(member.guild.id, member.id);
  }
}
