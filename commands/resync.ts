import type { Command } from '@sapphire/framework';
import type { SlashCommandBuilder } from 'discord.js';
import { enterAsTeam } from '../src/edges/interactions/command-access.js';
import { GuildCommand } from '../src/edges/interactions/command-in-guild.js';
import { answerWithProgress, type ShownResync } from '../src/edges/interactions/command-resync.js';
import { type Reply, say } from '../src/edges/interactions/reply.js';
import { cancelResync, latestResync, openResync, startResync } from '../src/features/sync/resync/resync-service.js';
import { t } from '../src/lib/translate.js';

export class ResyncCommand extends GuildCommand {
  constructor(context: Command.LoaderContext) {
    super(context, { description: t('command.resync'), forManagers: true });
  }

  override chatInputRun(interaction: Command.ChatInputCommandInteraction) {
    return answerWithProgress(interaction, () => this.run(interaction));
  }

  protected override addOptions(command: SlashCommandBuilder) {
    command
      .addSubcommand((start) => start.setName('start').setDescription(t('command.resync_start')))
      .addSubcommand((status) => status.setName('status').setDescription(t('command.resync_status')))
      .addSubcommand((cancel) => cancel.setName('cancel').setDescription(t('command.resync_cancel')));
  }

  private async run(interaction: Command.ChatInputCommandInteraction): Promise<ShownResync | Reply> {
    const subcommand = interaction.options.getSubcommand();
    const { guild, actor } = await enterAsTeam(interaction, subcommand === 'status' ? 'viewer' : 'manager');
    const { role } = actor;
    if (subcommand === 'start') {
      const { job, isNew } = await startResync(guild, actor);
      return { job, role, note: isNew ? undefined : t('resync.already') };
    }
    if (subcommand === 'status') {
      const job = await latestResync(guild._id);
      return job === null ? say(t('resync.none')) : { job, role };
    }
    const running = await openResync(guild._id);
    return running === null
      ? say(t('resync.none_running'))
      : { job: await cancelResync(guild, actor, running._id), role };
  }
}
