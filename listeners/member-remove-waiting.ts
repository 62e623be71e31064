import { Events } from '@sapphire/framework';
import { noteWaitingMember } from '../src/features/sync/member/waiting-joins.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** A member left before the sync of their join: it asks Discord for them. */
export const ForgetRemovedMember = onEvent(Events.GuildMemberRemove, ({ guild, id }) =>
  noteWaitingMember(guild.id, id, () => null),
);
