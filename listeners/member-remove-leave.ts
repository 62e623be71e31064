import { Events } from '@sapphire/framework';
import { orReconcile } from '../src/core/guilds/missed-events.js';
import { memberLeft } from '../src/features/members/member-service.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { personFromGateway } from '../src/platforms/discord/guild-members.js';

/** A member left a server; their link is kept for their return. */
export const LeaveRemovedMember = onEvent(Events.GuildMemberRemove, async ({ guild, user }) => {
  if (user.bot) return;
  await orReconcile(guild.id, () => memberLeft(guild.id, personFromGateway(user)));
});
