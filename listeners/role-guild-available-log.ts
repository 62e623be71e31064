import { Events } from '@sapphire/framework';
import { mappedRolesMayDiffer } from '../src/features/mappings/mapped-role-job.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';

/** A server is told of as a whole, at the start and after an outage: its roles may have changed while nobody saw it. */
export const LogAvailableGuild = onEvent(Events.GuildAvailable, ({ id }) => mappedRolesMayDiffer(id));
