import { Events } from '@sapphire/framework';
import { keepGuild } from '../src/core/guilds/guild-service.js';
import { untilStored } from '../src/core/guilds/missed-events.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { guildEventQueue } from '../src/platforms/discord/guild-event-queue.js';
import { profileOfGuild } from '../src/platforms/discord/guild-profile.js';

/** A server changed its name, icon or owner. */
export const KeepUpdatedGuild = onEvent(Events.GuildUpdate, (_before, after) =>
  guildEventQueue.add(after.id, () => untilStored(() => keepGuild(profileOfGuild(after)))),
);
