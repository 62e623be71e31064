import { Events } from '@sapphire/framework';
import { leaveGuild } from '../src/core/guilds/guild-service.js';
import { untilStored } from '../src/core/guilds/missed-events.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { guildEventQueue } from '../src/platforms/discord/guild-event-queue.js';

/** The bot was removed from a server. Outages don't arrive here: discord.js reports them as guildUnavailable. */
export const LeaveDeletedGuild = onEvent(Events.GuildDelete, (guild) =>
  guildEventQueue.add(guild.id, () => untilStored(() => leaveGuild(guild.id))),
);
