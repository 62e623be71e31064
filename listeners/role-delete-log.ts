import { Events } from '@sapphire/framework';
import { logDeletedRole } from '../src/features/mappings/mapped-role-log.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/**
 * A role was deleted; its name is known only from this event. Mappings may use it, or it may have given the bot
 * permissions.
 */
export const LogDeletedRole = onEvent(Events.GuildRoleDelete, (role) => logDeletedRole(role.guild.id, role));
