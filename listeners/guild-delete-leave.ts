import { Events, Listener } from '@sapphire/framework';
import type { Guild } from 'discord.js';
import { leaveGuild } from '../src/core/guilds/guild-service.js';
import { guildTurns } from '../src/platforms/discord/guild-turns.js';

/** The bot was removed from a server. An outage does not come here: discord.js tells it as guildUnavailable. */
export class LeaveDeletedGuild extends Listener<typeof Events.GuildDelete> {
  constructor(context: Listener.LoaderContext) {
    super(context, { name: 'guild-delete-leave', event: Events.GuildDelete });
  }

  override run(guild: Guild) {
    return guildTurns.add(guild.id, () => leaveGuild(guild.id));
  }
}
