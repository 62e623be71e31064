import { Events } from '@sapphire/framework';
import { memberChanged } from '../src/features/sync/member/member-drift.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { memberFromGateway } from '../src/platforms/discord/guild-members.js';
import { isOwnWrite } from '../src/platforms/discord/own-writes.js';

/** A member's roles or nickname were changed by hand: Rolelink restores its own. */
export const SyncUpdatedMember = onEvent(Events.GuildMemberUpdate, (before, after) => {
  const isTold = !before.partial && isOwnWrite(after.guild.id, memberFromGateway(before), memberFromGateway(after));
  if (!after.user.bot && !isTold) memberChanged(after.guild.id, () => memberFromGateway(after));
});
