import { Events } from '@sapphire/framework';
import { noteWaitingMember } from '../src/features/sync/member/waiting-joins.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { memberFromGateway } from '../src/platforms/discord/guild-members.js';

/** A member changed: if they wait for the sync of their join, it uses this state. */
export const NoteWaitingMember = onEvent(Events.GuildMemberUpdate, (_before, after) =>
  noteWaitingMember(after.guild.id, after.id, () => memberFromGateway(after)),
);
