import { Events } from '@sapphire/framework';
import { type GuildMember, GuildMemberFlags } from 'discord.js';
import { orReconcile } from '../src/core/guilds/missed-events.js';
import { memberArrived } from '../src/features/members/member-service.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

const { BypassesVerification, CompletedOnboarding, IsGuest } = GuildMemberFlags;

const isWaiting = ({ pending, flags }: Pick<GuildMember, 'pending' | 'flags'>): boolean =>
  flags.has(IsGuest) || (pending === true && !flags.has(BypassesVerification));

/**
 * A member accepted a server's rules, was waved through, completed its onboarding, which drops earlier roles, or is no
 * longer a guest: they get their roles. For members missing from the gateway's cache, the name listener compares with
 * the stored member.
 */
export const ArriveUpdatedMember = onEvent(Events.GuildMemberUpdate, async (before, after) => {
  if (before.partial || after.user.bot || isWaiting(after)) return;
  const isOnboarded = after.flags.has(CompletedOnboarding) && !before.flags.has(CompletedOnboarding);
  if (!isWaiting(before) && !isOnboarded) return;
  await orReconcile(after.guild.id, () => memberArrived(after.guild.id, after.id));
});
