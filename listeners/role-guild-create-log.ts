import { Events, Listener } from '@sapphire/framework';
import type { Guild } from 'discord.js';
import { mappedRolesMayDiffer } from '../src/features/mappings/mapped-role-job.js';

/** The bot returned to a server, with a new role of its own below those that its mappings name. */
export class LogCreatedGuild extends Listener<typeof Events.GuildCreate> {
  constructor(context: Listener.LoaderContext) {
    super(context, { name: 'role-guild-create-log', event: Events.GuildCreate });
  }

  override run({ id }: Guild) {
    return mappedRolesMayDiffer(id);
  }
}
