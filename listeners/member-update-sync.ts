import { Events } from '@sapphire/framework';
import { findPresentGuild } from '../src/core/guilds/guild-service.js';
import { orCatchUp } from '../src/core/guilds/missed-events.js';
import { noteMemberUpdate } from '../src/features/sync/member/member-drift.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { memberFromGateway } from '../src/platforms/discord/guild-members.js';
import { isOwnWrite } from '../src/platforms/discord/own-writes.js';

/** Somebody changed a member's roles or nickname: what Rolelink gave is given again. */
export const SyncUpdatedMember = onEvent(Events.GuildMemberUpdate, async (before, after) => {
  const now = memberFromGateway(after);
  const isTold = !before.partial && isOwnWrite(after.guild.id, memberFromGateway(before), now);
  if (after.user.bot || isTold) return;
  await orCatchUp(after.guild.id, async () => {
    const guild = await findPresentGuild(after.guild.id);
    if (guild?.state === 'active') await noteMemberUpdate(guild, now);
  });
});
