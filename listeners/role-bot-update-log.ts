import { Events } from '@sapphire/framework';
import { mappedRolesMayDiffer } from '../src/features/mappings/mapped-role-job.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { invalidRequestGuard } from '../src/platforms/discord/rest/invalid-request-guard.js';

/** The bot itself was given a role, or one was taken from it: it may be mightier or less so. */
export const LogUpdatedBot = onEvent(Events.GuildMemberUpdate, async (_before, after) => {
  if (after.id !== after.client.user.id) return;
  invalidRequestGuard().forgiveGuild(after.guild.id);
  await mappedRolesMayDiffer(after.guild.id);
});
