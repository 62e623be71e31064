import { Events } from '@sapphire/framework';
import { mappedRolesMayDiffer } from '../src/features/mappings/mapped-role-job.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { comesAlone } from '../src/platforms/discord/shard-guilds.js';

/** A server is available again after an outage: its roles may have changed unseen. */
export const LogAvailableGuild = onEvent(Events.GuildAvailable, async (guild) => {
  if (comesAlone(guild)) mappedRolesMayDiffer(guild.id);
});
