import { Events, Listener } from '@sapphire/framework';
import type { Guild } from 'discord.js';
import { profileOfGuild } from '../src/discord/guild-profile.js';
import { guildTurns } from '../src/discord/guild-turns.js';
import { keepGuild } from '../src/guilds/guild-service.js';

/** A server changed its name, icon or owner. */
export class KeepUpdatedGuild extends Listener<typeof Events.GuildUpdate> {
  constructor(context: Listener.LoaderContext) {
    super(context, { name: 'guild-update-keep', event: Events.GuildUpdate });
  }

  override run(_before: Guild, after: Guild) {
    return guildTurns.add(after.id, () => keepGuild(profileOfGuild(after)));
  }
}
