import { Events, Listener } from '@sapphire/framework';
import type { GuildMember, PartialGuildMember } from 'discord.js';
import { mappedRolesMayDiffer } from '../src/features/mappings/mapped-role-job.js';
import { invalidRequestGuard } from '../src/platforms/discord/invalid-request-guard.js';

/** The bot itself was given a role, or one was taken from it: it may be mightier or less so. */
export class LogUpdatedBot extends Listener<typeof Events.GuildMemberUpdate> {
  constructor(context: Listener.LoaderContext) {
    super(context, { name: 'role-bot-update-log', event: Events.GuildMemberUpdate });
  }

  override async run(_before: GuildMember | PartialGuildMember, after: GuildMember) {
    if (after.id !== after.client.user.id) return;
    invalidRequestGuard().forgiveGuild(after.guild.id);
    await mappedRolesMayDiffer(after.guild.id);
  }
}
