import { Events, Listener } from '@sapphire/framework';
import type { Role } from 'discord.js';
import { logMappedRoles } from '../src/features/mappings/mapped-role-log.js';

/** A role was deleted, whose name nobody else knows any more: mappings may name it, or it made the bot mightier. */
export class LogDeletedRole extends Listener<typeof Events.GuildRoleDelete> {
  constructor(context: Listener.LoaderContext) {
    super(context, { name: 'role-delete-log', event: Events.GuildRoleDelete });
  }

  override run({ guild, id, name }: Role) {
    return logMappedRoles(guild.id, new Map([[id, name]]));
  }
}
