import { Events } from '@sapphire/framework';
import { noteWaitingMember } from '../src/features/sync/member/waiting-joins.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { memberFromGateway } from '../src/platforms/discord/guild-members.js';
import { noteReported } from '../src/platforms/discord/seen-members.js';

/** A member changed: pages show this state, and their join's sync uses it if they wait for that. */
export const NoteWaitingMember = onEvent(Events.GuildMemberUpdate, (_before, after) => {
  noteWaitingMember(after.guild.id, after.id, () => memberFromGateway(after));
  noteReported(after.guild.id, after.id, after.user.bot ? null : memberFromGateway(after));
});
