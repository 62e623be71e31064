import { Events } from '@sapphire/framework';
import { markAbsent } from '../src/features/members/member-service.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** Somebody left a server; their link stays for their return. */
export const LeaveRemovedMember = onEvent(Events.GuildMemberRemove, (member) => markAbsent(member.guild.id, member.id));
