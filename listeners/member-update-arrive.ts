import { Events } from '@sapphire/framework';
import { GuildMemberFlags } from 'discord.js';
import { orReconcile } from '../src/core/guilds/missed-events.js';
import { memberArrived } from '../src/features/members/member-service.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

const { CompletedOnboarding } = GuildMemberFlags;

/**
 * A member accepted a server's rules or completed its onboarding, which drops earlier roles: they get their roles. For
 * members missing from the gateway's cache, the name listener compares with the stored member.
 */
export const ArriveUpdatedMember = onEvent(Events.GuildMemberUpdate, async (before, after) => {
  if (before.partial || after.pending || after.user.bot) return;
  const isOnboarded = after.flags.has(CompletedOnboarding) && !before.flags.has(CompletedOnboarding);
  if (!before.pending && !isOnboarded) return;
  await orReconcile(after.guild.id, () => memberArrived(after.guild.id, after.id));
});
