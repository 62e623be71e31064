import { Events } from '@sapphire/framework';
import { mappedRolesMayDiffer } from '../src/features/mappings/mapped-role-job.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { invalidRequestGuard } from '../src/platforms/discord/rest/invalid-request-guard.js';

/** The bot's own roles changed, and its permissions may have changed with them. */
export const LogUpdatedBot = onEvent(Events.GuildMemberUpdate, async (_before, after) => {
  if (after.id !== after.client.user.id) return;
  invalidRequestGuard().forgiveGuild(after.guild.id);
  mappedRolesMayDiffer(after.guild.id);
});
