import { Events } from '@sapphire/framework';
import { findPresentGuild } from '../src/core/guilds/guild-service.js';
import { orCatchUp } from '../src/core/guilds/missed-events.js';
import { memberJoined } from '../src/features/members/member-service.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** Somebody joined a server: a verified person has their roles without doing anything. */
export const JoinAddedMember = onEvent(Events.GuildMemberAdd, ({ guild: { id: guildId }, id, user }) =>
  orCatchUp(guildId, async () => {
    const guild = await findPresentGuild(guildId);
    if (guild === null || guild.state === 'suspended' || user.bot) return;
    await memberJoined(guild, { chatUserId: id, username: user.username });
  }),
);
