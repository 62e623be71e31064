import { Events, Listener } from '@sapphire/framework';
import type { Guild } from 'discord.js';
import { keepGuild } from '../src/core/guilds/guild-service.js';
import { profileOfGuild } from '../src/platforms/discord/guild-profile.js';
import { guildTurns } from '../src/platforms/discord/guild-turns.js';

/** The bot was added to a server, or the gateway tells of one after an outage. */
export class KeepCreatedGuild extends Listener<typeof Events.GuildCreate> {
  constructor(context: Listener.LoaderContext) {
    super(context, { name: 'guild-create-keep', event: Events.GuildCreate });
  }

  override run(guild: Guild) {
    return guildTurns.add(guild.id, () => keepGuild(profileOfGuild(guild)));
  }
}
