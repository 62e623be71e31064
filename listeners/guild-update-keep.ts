import { Events, Listener } from '@sapphire/framework';
import type { Guild } from 'discord.js';
import { keepGuild } from '../src/core/guilds/guild-service.js';
import { profileOfGuild } from '../src/platforms/discord/guild-profile.js';
import { guildTurns } from '../src/platforms/discord/guild-turns.js';

/** A server changed its name, icon or owner. */
export class KeepUpdatedGuild extends Listener<typeof Events.GuildUpdate> {
  constructor(context: Listener.LoaderContext) {
    super(context, { name: 'guild-update-keep', event: Events.GuildUpdate });
  }

  override run(_before: Guild, after: Guild) {
    return guildTurns.add(after.id, () => keepGuild(profileOfGuild(after)));
  }
}
