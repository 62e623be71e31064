import type { Command } from '@sapphire/framework';
import { GuildCommand } from '../src/edges/interactions/command-in-guild.js';
import { offerVerification } from '../src/edges/interactions/command-verify.js';
import { t } from '../src/lib/translate.js';

export class VerifyCommand extends GuildCommand {
  constructor(context: Command.LoaderContext) {
    super(context, { description: t('command.verify') });
  }

  override chatInputRun(interaction: Command.ChatInputCommandInteraction) {
    return offerVerification(interaction, { another: false });
  }
}
