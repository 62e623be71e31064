import { Events, Listener } from '@sapphire/framework';
import type { Guild } from 'discord.js';
import { mappedRolesMayDiffer } from '../src/features/mappings/mapped-role-job.js';

/** A server is told of as a whole, at the start and after an outage: its roles may have changed while nobody saw it. */
export class LogAvailableGuild extends Listener<typeof Events.GuildAvailable> {
  constructor(context: Listener.LoaderContext) {
    super(context, { name: 'role-guild-available-log', event: Events.GuildAvailable });
  }

  override run({ id }: Guild) {
    return mappedRolesMayDiffer(id);
  }
}
