import { Events } from '@sapphire/framework';
import { logMappedRoles } from '../src/features/mappings/mapped-role-log.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** A role was deleted, whose name nobody else knows any more: mappings may name it, or it made the bot mightier. */
export const LogDeletedRole = onEvent(Events.GuildRoleDelete, ({ guild, id, name }) =>
  logMappedRoles(guild.id, new Map([[id, name]])),
);
