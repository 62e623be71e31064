import type { Command } from '@sapphire/framework';
import { GuildCommand } from '../src/edges/interactions/command-in-guild.js';
import { previewGuild } from '../src/edges/interactions/command-preview.js';
import { answer } from '../src/edges/interactions/reply-answer.js';
import { t } from '../src/lib/translate.js';

export class PreviewCommand extends GuildCommand {
  constructor(context: Command.LoaderContext) {
    super(context, { description: t('command.preview'), forManagers: true });
  }

  override chatInputRun(interaction: Command.ChatInputCommandInteraction) {
    return answer(interaction, () => previewGuild(interaction));
  }
}
