import { Events } from '@sapphire/framework';
import { mappedRolesMayDiffer } from '../src/features/mappings/mapped-role-job.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** The bot returned to a server with its own new role, below the roles in its mappings. */
export const LogCreatedGuild = onEvent(Events.GuildCreate, ({ id }) => mappedRolesMayDiffer(id));
