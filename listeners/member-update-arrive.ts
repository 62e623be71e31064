import { Events } from '@sapphire/framework';
import { GuildMemberFlags } from 'discord.js';
import { orCatchUp } from '../src/core/guilds/missed-events.js';
import { memberArrived } from '../src/features/members/member-service.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

const { CompletedOnboarding } = GuildMemberFlags;

/**
 * Somebody has accepted the rules of a server, or completed its onboarding, which drops roles that they had: they get what
 * they are due. Of whom the gateway's cache does not keep, the name's listener compares with what is stored.
 */
export const ArriveUpdatedMember = onEvent(Events.GuildMemberUpdate, async (before, after) => {
  if (before.partial || after.pending || after.user.bot) return;
  const isOnboarded = after.flags.has(CompletedOnboarding) && !before.flags.has(CompletedOnboarding);
  if (!before.pending && !isOnboarded) return;
  await orCatchUp(after.guild.id, () => memberArrived(after.guild.id, after.id));
});
