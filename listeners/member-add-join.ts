import { Events } from '@sapphire/framework';
import { findPresentGuild } from '../src/core/guilds/guild-service.js';
import { orReconcile } from '../src/core/guilds/missed-events.js';
import { memberJoined } from '../src/features/members/member-service.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { memberFromGateway } from '../src/platforms/discord/guild-members.js';

/** A person joined a server: verified people get their roles automatically. */
export const JoinAddedMember = onEvent(Events.GuildMemberAdd, (member) => {
  const { guild, user } = member;
  return orReconcile(guild.id, async () => {
    const known = await findPresentGuild(guild.id);
    if (known === null || known.state === 'suspended' || user.bot) return;
    await memberJoined(known, memberFromGateway(member));
  });
});
