import { Events } from '@sapphire/framework';
import { keepGuild } from '../src/core/guilds/guild-service.js';
import { untilStored } from '../src/core/guilds/missed-events.js';
import { localeOfClient } from '../src/edges/interactions/discord-locales.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { guildEventQueue } from '../src/platforms/discord/guild-event-queue.js';
import { profileOfGuild } from '../src/platforms/discord/guild-profile.js';

/** The bot was added to a server, or a server returned after an outage. A new server gets a welcome. */
export const KeepCreatedGuild = onEvent(Events.GuildCreate, (guild) => {
  const welcome = { locale: localeOfClient(guild.preferredLocale) ?? 'en', channelId: guild.systemChannelId };
  return guildEventQueue.add(guild.id, () => untilStored(() => keepGuild(profileOfGuild(guild), welcome)));
});
