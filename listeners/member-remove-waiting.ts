import { Events } from '@sapphire/framework';
import { noteWaitingMember } from '../src/features/sync/member/waiting-joins.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { noteReported } from '../src/platforms/discord/seen-members.js';

/** A member left: pages say so, and their join's sync asks Discord for them. */
export const ForgetRemovedMember = onEvent(Events.GuildMemberRemove, ({ guild, id }) => {
  noteWaitingMember(guild.id, id, () => null);
  noteReported(guild.id, id, null);
});
