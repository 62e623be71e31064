import { Events } from '@sapphire/framework';
import { keepChatUsername } from '../src/features/members/member-service.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/**
 * Somebody changed their Discord name: the member list finds them under the new one. Of whom the gateway's cache keeps,
 * `userUpdate` tells, and most of these events are about roles.
 */
export const KeepUpdatedMemberName = onEvent(Events.GuildMemberUpdate, async (before, after) => {
  const mayDiffer = before.partial || before.user.username !== after.user.username;
  if (mayDiffer) await keepChatUsername(after.guild.id, after.id, after.user.username);
});
