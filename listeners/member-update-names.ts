import { Events } from '@sapphire/framework';
import { keepChatUsername } from '../src/features/members/member-service.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** Somebody changed their Discord name: the member list finds them under the new one. */
export const KeepUpdatedMemberName = onEvent(Events.GuildMemberUpdate, (_before, after) =>
  keepChatUsername(after.guild.id, after.id, after.user.username),
);
