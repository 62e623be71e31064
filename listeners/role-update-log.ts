import { Events, Listener } from '@sapphire/framework';
import type { Role } from 'discord.js';
import { mappedRolesMayDiffer } from '../src/features/mappings/mapped-role-job.js';
import { invalidRequestGuard } from '../src/platforms/discord/invalid-request-guard.js';

/** A role was moved, or its permissions changed: the bot may hand out others now. */
export class LogUpdatedRole extends Listener<typeof Events.GuildRoleUpdate> {
  constructor(context: Listener.LoaderContext) {
    super(context, { name: 'role-update-log', event: Events.GuildRoleUpdate });
  }

  override async run(before: Role, after: Role) {
    const moved = before.rawPosition !== after.rawPosition;
    const permitted = before.permissions.bitfield !== after.permissions.bitfield;
    if (!moved && !permitted) return;
    invalidRequestGuard().forgiveGuild(after.guild.id);
    await mappedRolesMayDiffer(after.guild.id);
  }
}
