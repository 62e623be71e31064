import { Events } from '@sapphire/framework';
import { keepPersonOf } from '../src/features/members/member-service.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { memberFromGateway } from '../src/platforms/discord/guild-members.js';

/**
 * A member's Discord name or picture changed: the member list shows the new one. Cached members are skipped:
 * `userUpdate` covers them, and most such events are about roles.
 */
export const KeepUpdatedMemberName = onEvent(Events.GuildMemberUpdate, async (before, after) => {
  const mayDiffer =
    before.partial || before.user.username !== after.user.username || before.user.avatar !== after.user.avatar;
  if (mayDiffer) await keepPersonOf(after.guild.id, memberFromGateway(after));
});
