import { Events } from '@sapphire/framework';
import { mappedRolesMayDiffer } from '../src/features/mappings/mapped-role-job.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { invalidRequestGuard } from '../src/platforms/discord/rest/invalid-request-guard.js';

/** A role was moved or its permissions changed: the bot may be able to give other roles now. */
export const LogUpdatedRole = onEvent(Events.GuildRoleUpdate, async (before, after) => {
  const moved = before.rawPosition !== after.rawPosition;
  const permitted = before.permissions.bitfield !== after.permissions.bitfield;
  if (!moved && !permitted) return;
  invalidRequestGuard().forgiveGuild(after.guild.id);
  mappedRolesMayDiffer(after.guild.id);
});
