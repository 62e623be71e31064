import { Events, Listener } from '@sapphire/framework';
import type { Guild } from 'discord.js';
import { keepGuild } from '../src/core/guilds/guild-service.js';
import { profileOfGuild } from '../src/platforms/discord/guild-profile.js';
import { guildTurns } from '../src/platforms/discord/guild-turns.js';

/** A server of ours can be reached again after an outage on Discord's side. */
export class KeepAvailableGuild extends Listener<typeof Events.GuildAvailable> {
  constructor(context: Listener.LoaderContext) {
    super(context, { name: 'guild-available-keep', event: Events.GuildAvailable });
  }

  override run(guild: Guild) {
    return guildTurns.add(guild.id, () => keepGuild(profileOfGuild(guild)));
  }
}
